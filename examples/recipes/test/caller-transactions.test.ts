import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import { createQueue, type Queue, QueueError } from '@queue/core'
import { createTestDatabase, eventually, findBrokenInvariants, type TestDatabase } from '@queue/testing'
import {
  type Around,
  type Backends,
  carryOut,
  fullQueue,
  type Told,
} from './caller-transactions/carry-out.ts'
import { violationsOf } from './caller-transactions/check.ts'
import { type Driver, lanes, openDrivers } from './caller-transactions/drivers.ts'
import { plansOf } from './caller-transactions/plans.ts'
import { confirmOrder } from '../src/jobs.ts'

/** The fault suite runs this test at a larger scale and with its own seed. */
const scale = Number(process.env['QUEUE_TEST_SCALE'] ?? 1)
const seed = Number(process.env['QUEUE_TEST_SEED'] ?? Date.now() % 1_000_000)
const transactions = 150 * scale
/**
 * A run in which less happened of anything would prove nothing. Of about 20 ends of backends, those that come after the
 * commit leave nothing unknown.
 */
const leastCount = 4
/** Enough to find a planted fault. */
const fewTransactions = 60

let database: TestDatabase
let queue: Queue
let opened: ReturnType<typeof openDrivers>

beforeEach(async () => {
  database = await createTestDatabase()
  await database.pool.query('CREATE TABLE orders (id text PRIMARY KEY)')
  queue = createQueue({ connectionString: database.url })
  await queue.limits.set({ queue: fullQueue, scope: 'queue', maxWaiting: 1 })
  // Until the count is known here, the queue still accepts jobs.
  await eventually(refusesMore, { what: 'the refusal of a job for the full queue' })
  opened = openDrivers(database.url)
})
afterEach(async () => {
  await opened.close()
  await queue.close()
  await database.close()
})

/** Whether the full queue refuses a job; one that it accepts makes it fuller. */
async function refusesMore(): Promise<boolean> {
  const order = { orderId: 'o', email: 'ada@example.com' }
  return queue.enqueue(confirmOrder, order, { queue: fullQueue }).then(
    () => false,
    (error: unknown) => error instanceof QueueError && error.code === 'queue_full',
  )
}

/** Carries out random transactions, some at the same time, and returns what each was told. */
async function attack(around: Around, drivers: readonly Driver[], count: number): Promise<Told[]> {
  const { pool } = database
  const ended = new Set<number>()
  const backends: Backends = {
    end: (pid) => {
      ended.add(pid)
      void pool.query('SELECT pg_terminate_backend($1)', [pid])
    },
    isEnded: (pid) => ended.has(pid),
  }
  const plans = plansOf(count, seed).entries()
  const told: Told[] = []
  const lane = async (): Promise<void> => {
    for (const [index, plan] of plans) {
      const driver = drivers[index % drivers.length]
      if (driver === undefined) throw new Error('there is no driver')
      told.push(await carryOut({ queue, around, backends }, driver, { name: String(index), plan }))
    }
  }
  await Promise.all(Array.from({ length: lanes }, lane))
  return told
}

async function deadlocks(): Promise<number> {
  const { rows } = await database.pool.query<{ deadlocks: number }>(
    'SELECT deadlocks::int FROM pg_stat_database WHERE datname = current_database()',
  )
  return rows[0]?.deadlocks ?? -1
}

const unchanged: Around = ({ transaction }, enqueue) => enqueue(transaction)

test('side by side with the statements of its caller, whatever was answered is there after the commit, and nothing after a rollback, with every library', async () => {
  const { drivers } = opened
  const told = await attack(unchanged, drivers, transactions)
  const count = (counted: (one: Told) => number): number => told.reduce((sum, one) => sum + counted(one), 0)
  const counts = {
    acts: count(({ rows, answers, refusals }) => rows.length + answers.length + refusals.length),
    refused: count(({ refusals }) => refusals.length),
    found: count(({ answers }) => answers.filter(({ isNew }) => !isNew).length),
    committed: count(({ end }) => Number(end === 'committed')),
    unknown: count(({ end }) => Number(end === 'unknown')),
  }
  process.stderr.write(`caller-transactions: seed ${seed}, ${JSON.stringify(counts)}\n`)
  expect(await violationsOf(database.pool, told)).toEqual([])
  expect(await findBrokenInvariants(database)).toEqual([])
  expect(await deadlocks()).toBe(0)
  for (const happened of Object.values(counts)) expect(happened).toBeGreaterThanOrEqual(leastCount)
  const finished = told.filter(({ end }) => end === 'committed').map(({ driver }) => driver)
  expect(new Set(finished)).toEqual(new Set(drivers.map(({ name }) => name)))
})

describe('detects an enqueue that', () => {
  const planted: readonly (readonly [string, Around, RegExp])[] = [
    [
      'takes itself back by a savepoint that stays open between two statements',
      async (caller, enqueue) => {
        await caller.query('SAVEPOINT of_an_enqueue')
        try {
          const made = await enqueue(caller.transaction)
          await caller.query('RELEASE SAVEPOINT of_an_enqueue')
          return made
        } catch (error) {
          await caller.query('ROLLBACK TO SAVEPOINT of_an_enqueue')
          throw error
        }
      },
      /is missing|an error reached the caller/,
    ],
    [
      'is refused for the reason of another call',
      () => Promise.reject(new QueueError('queue_full', 'the queue is full')),
      /an error reached the caller/,
    ],
    [
      'does not tell that its key is that of another request',
      async ({ transaction }, enqueue) =>
        (await enqueue(transaction)).map(({ request, ...reply }) => ({
          ...reply,
          ...(request && { request: { ...request, mismatched: false } }),
        })),
      /is wrong: mismatched is false/,
    ],
    ['is not in the transaction', (_caller, enqueue) => enqueue(undefined), /a job answered as new exists/],
  ]

  test.each(planted)('%s', async (_what, around, fault) => {
    const told = await attack(around, opened.drivers.slice(0, 1), fewTransactions)
    expect(await violationsOf(database.pool, told)).toEqual(
      expect.arrayContaining([expect.stringMatching(fault)]),
    )
  })
})
