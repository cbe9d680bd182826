import { afterAll, expect, test } from '@jest/globals'
import { createTestDatabase } from '@queue/testing'
import {
  checkOutboxSchema,
  createOutbox,
  migrateOutbox,
  migrateOutboxDown,
  outboxLimits,
  outboxMigrationPlan,
  outboxMigrationStatus,
} from '../src/index.ts'
import { outboxMigrationSet } from '../src/migrations/index.ts'

const database = await createTestDatabase()
afterAll(() => database.close())

const connectionString = database.url
const versionIn = async (schema: string) => {
  const outbox = createOutbox({ pool: database.pool, schema })
  return checkOutboxSchema(outbox.database)
}

test('eight concurrent runners apply each step once, in a schema that the caller chooses', async () => {
  const events: string[] = []
  const runs = Array.from({ length: 8 }, () =>
    migrateOutbox({ connectionString, schema: 'mine', onProgress: (event) => events.push(event.type) }),
  )
  const reports = await Promise.all(runs)
  expect(reports.every((report) => report.to === outboxMigrationSet.steps.length)).toBe(true)
  expect(events.filter((type) => type === 'applied')).toHaveLength(outboxMigrationSet.steps.length)
  expect(await versionIn('mine')).toMatchObject({ status: 'compatible' })
})

test('the schema of the queue can also contain an outbox, each with its own migration history', async () => {
  await migrateOutbox({ connectionString, schema: 'queue' })
  expect(await versionIn('queue')).toMatchObject({ status: 'compatible', databaseVersion: 1 })
  expect(await database.queue.checkSchema()).toMatchObject({ status: 'compatible' })
  await migrateOutboxDown({ connectionString, schema: 'queue' })
  expect(await versionIn('queue')).toMatchObject({ status: 'missing' })
  expect(await database.queue.checkSchema()).toMatchObject({ status: 'compatible' })
})

test('the plan, run by hand, creates the same as migrateOutbox', async () => {
  const { sql } = await outboxMigrationPlan({ connectionString, schema: 'by_hand' })
  await database.pool.query(sql)
  expect((await outboxMigrationPlan({ connectionString, schema: 'by_hand' })).sql).toBe('')
  expect(await outboxMigrationStatus({ connectionString, schema: 'by_hand' })).toMatchObject({
    databaseVersion: outboxMigrationSet.steps.length,
  })
  await migrateOutboxDown({ connectionString, schema: 'by_hand', to: 0 })
  expect(await versionIn('by_hand')).toMatchObject({ status: 'missing' })
})

test('the limits in the schema are those of the code', async () => {
  await migrateOutbox({ connectionString, schema: 'bounds' })
  const { rows } = await database.pool.query(
    `SELECT pg_get_constraintdef(oid) AS text FROM pg_constraint
      WHERE connamespace = 'bounds'::regnamespace AND conname = 'outbox_messages_key_check'`,
  )
  expect((rows[0] as { text: string }).text).toContain(`<= ${outboxLimits.keyLengthMax}`)
})
