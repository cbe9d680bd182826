import { afterAll, beforeAll, expect, test } from '@jest/globals'
import {
  acquireServer,
  type ClonedDatabase,
  createTestDatabases,
  type PostgresServer,
} from '@queue/dev-postgres'
import { findWrongUses } from '@queue/test-database'
import { nextMigrationSet } from '../src/migrations/next-release.ts'

let server: PostgresServer
let databases: ReturnType<typeof createTestDatabases>
beforeAll(async () => {
  server = await acquireServer()
  databases = createTestDatabases({
    serverUrl: server.url,
    templateKey: 'chaos empty',
    prepareTemplate: async () => undefined,
  })
})
afterAll(async () => {
  await databases.dropAll()
  await server.stop()
})

test('what each statement of a step locks and goes over is what the step says', async () => {
  const { url }: ClonedDatabase = await databases.create()
  expect(await findWrongUses(nextMigrationSet(), url)).toEqual([])
})

test('a statement whose step does not declare its locks is detected', async () => {
  const migrationSet = nextMigrationSet()
  const undeclared = migrationSet.steps.map((step) =>
    step.type === 'transactional'
      ? { ...step, up: (schema: string) => step.up(schema).map(({ sql }) => ({ sql })) }
      : step,
  )
  const { url }: ClonedDatabase = await databases.create()
  const wrongUses = await findWrongUses({ ...migrationSet, steps: undeclared }, url)
  expect(wrongUses).toEqual([
    expect.stringMatching(/rehearsal_note text does ACCESS EXCLUSIVE on jobs, catalog$/),
    expect.stringMatching(/rehearsal_weight integer .* does ACCESS EXCLUSIVE on jobs, catalog$/),
    expect.stringMatching(/NOT VALID does ACCESS EXCLUSIVE on jobs, catalog$/),
    expect.stringMatching(/rehearsal_zone .* does ACCESS EXCLUSIVE on workers, catalog$/),
    expect.stringMatching(
      /VALIDATE CONSTRAINT rehearsal_weight_check does SHARE UPDATE EXCLUSIVE on jobs, scan$/,
    ),
  ])
})
