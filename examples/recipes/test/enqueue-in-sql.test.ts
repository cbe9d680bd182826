import { readFile } from 'node:fs/promises'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { createTestDatabase, drain, expectEnqueued } from '@queue/testing'
import { handle } from '@queue/worker'
import { confirmOrder } from '../src/jobs.ts'

const database = await createTestDatabase()
const { pool } = database
const trigger = await readFile(new URL('../src/sql/enqueue-in-a-trigger.sql', import.meta.url), 'utf8')
const handlers = [handle(confirmOrder, ({ payload }) => payload.orderId)]

beforeAll(async () => {
  await pool.query('CREATE TABLE orders (id text PRIMARY KEY, email text NOT NULL)')
  await pool.query(trigger)
})
afterAll(() => database.close())

test('an inserted order makes its job, in the same transaction, by whoever may call the function', async () => {
  const client = await pool.connect()
  try {
    await pool.query('GRANT INSERT ON orders TO queue_test_enqueue')
    await client.query('SET ROLE queue_test_enqueue')
    await client.query('BEGIN')
    await client.query("INSERT INTO orders VALUES ('lost', 'ann@example.com')")
    await client.query('ROLLBACK')
    await client.query("INSERT INTO orders VALUES ('o-1', 'ann@example.com')")
  } finally {
    await client.query('RESET ROLE')
    client.release()
  }
  await expectEnqueued(database, confirmOrder, {
    payload: { orderId: 'o-1', email: 'ann@example.com' },
    count: 1,
  })
  expect(await drain(database, { handlers })).toMatchObject([{ outcome: 'succeeded' }])
})

test('a payload that is invalid for its kind fails permanently at its first attempt', async () => {
  await pool.query("INSERT INTO orders VALUES ('o-2', 'no address')")
  const [attempt] = await drain(database, { handlers })
  expect(attempt).toMatchObject({ outcome: 'failed_permanent', attempt: 1 })
  expect(String(attempt?.error)).toContain('payload.email')
})
