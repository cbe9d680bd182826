import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { connect } from '@queue/core/internal'
import { createTestDatabase, recordLogger, type TestDatabase } from '@queue/testing'
import { z } from 'zod'
import {
  createReadiness,
  databaseVariables,
  parseConfig,
  SchemaVersionError,
  waitForSchema,
} from '../src/index.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(() => database.close())

/** A schema with only the record of one applied step. */
async function recordStep(schema: string, step: { version: number; minCode: number }): Promise<void> {
  await database.pool.query(`
    CREATE SCHEMA ${schema};
    CREATE TABLE ${schema}.migrations (version integer, name text, min_code integer);
    INSERT INTO ${schema}.migrations VALUES (${step.version}, 'a step', ${step.minCode})`)
}

function wait(schema: string): ReturnType<typeof waitForSchema> {
  const logger = recordLogger()
  const { signal } = new AbortController()
  return waitForSchema({ database: connect({ pool: database.pool, schema }), logger, signal })
}

describe('waitForSchema', () => {
  test('resolves if the schema is that of this code', async () => {
    await expect(wait(database.schema)).resolves.toMatchObject({ status: 'compatible' })
  })

  test('resolves if this code can run on a newer schema, as during a rolling upgrade', async () => {
    const { codeVersion } = await database.queue.checkSchema()
    await recordStep('rolling', { version: codeVersion + 3, minCode: codeVersion })
    await expect(wait('rolling')).resolves.toMatchObject({ status: 'compatible' })
  })

  test('names the command to run if the schema is missing or older, with exit code 3', async () => {
    await recordStep('old', { version: 0, minCode: 0 })
    for (const schema of ['nothing', 'old']) {
      const refused = wait(schema)
      await expect(refused).rejects.toThrow(SchemaVersionError)
      await expect(refused).rejects.toMatchObject({
        exitCode: 3,
        message: expect.stringMatching(new RegExp(`schema "${schema}".*run queue-migrate up`)),
      })
    }
  })

  test('refuses a schema of a build that was not released, and so does the readiness probe', async () => {
    await recordStep('unreleased', { version: 1, minCode: 1 })
    await expect(wait('unreleased')).rejects.toMatchObject({
      exitCode: 3,
      message: expect.stringMatching(/step 1 \(a step\) was applied with another text.*drop the schema/),
    })
    const readiness = createReadiness({ database: connect({ pool: database.pool, schema: 'unreleased' }) })
    expect(await readiness()).toMatchObject({ status: 'not_ready', checks: { schema: 'different' } })
  })

  test('refuses a newer schema on which this code cannot run, with exit code 3', async () => {
    await recordStep('ahead', { version: 1_000, minCode: 1_000 })
    await expect(wait('ahead')).rejects.toMatchObject({
      exitCode: 3,
      message: expect.stringMatching(/newer release/),
    })
  })
})

test('readiness distinguishes a compatible schema of a real database from a missing one', async () => {
  const fits = createReadiness({ database: connect({ pool: database.pool }) })
  expect(await fits()).toMatchObject({ status: 'ready' })
  const missing = createReadiness({ database: connect({ pool: database.pool, schema: 'nothing' }) })
  expect(await missing()).toMatchObject({
    status: 'not_ready',
    checks: { database: 'up', schema: 'missing' },
  })
})

test.each([
  'queue',
  '_q',
  'q1',
  'Queue',
  '1q',
  'q-1',
  '',
  'pg_q',
  'information_schema',
  'q'.repeat(56),
  'q'.repeat(57),
])('QUEUE_SCHEMA accepts %j if and only if core does', (schema) => {
  // An empty variable counts as unset, so the default applies.
  const name = schema === '' ? 'queue' : schema
  const config = z.object({ QUEUE_SCHEMA: databaseVariables.QUEUE_SCHEMA })
  const accepts = (use: () => unknown): boolean => {
    try {
      use()
      return true
    } catch {
      return false
    }
  }
  expect(accepts(() => parseConfig(config, { QUEUE_SCHEMA: schema }))).toBe(
    accepts(() => connect({ connectionString: 'postgres://nowhere/none', schema: name })),
  )
})
