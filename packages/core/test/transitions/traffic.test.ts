import { afterAll, expect, test } from '@jest/globals'
import { lockModes } from '@queue/postgres'
import type pg from 'pg'
import type { QueueDatabase } from '../../src/database/connect.ts'
import { queueMigrationSet } from '../../src/migrations/index.ts'
import { finishJobs } from '../../src/transitions/finish-jobs.ts'
import { retryOrDeadLetterJobs } from '../../src/transitions/retry-or-dead-letter-jobs.ts'
import { renewWorkerLease } from '../../src/workers/renew-worker-lease.ts'
import { claim, newWorker, probe, runningJob } from '../support/builders.ts'
import { openWorld, within } from '../support/world.ts'

const world = await openWorld()
afterAll(() => world.close())

/** The statements of each kind of traffic, in a transaction whose locks are read. */
const statements: Readonly<Record<string, (client: pg.Client, database: QueueDatabase) => Promise<unknown>>> =
  {
    enqueues: (client) => world.queue.enqueue(probe, {}, { transaction: client }),
    claims: async (_client, database) => claim({ database }, await newWorker(world)),
    'claims in lanes': async (_client, database) => {
      await world.queue.limits.set({ queue: 'default', scope: 'queue', fairBy: 'key' })
      await world.queue.limits.set({ queue: 'default', scope: 'each_key', maxRunning: 1 })
      await world.queue.enqueue(probe, {}, { key: 'a' })
      expect(await claim({ database }, await newWorker(world))).toMatchObject([{ key: 'a' }])
    },
    'ends of attempts': async (_client, database) => {
      const [{ lease }, { lease: failedLease }] = [await runningJob(world), await runningJob(world)]
      await finishJobs(database, [{ lease, resultText: '1', note: null }])
      await retryOrDeadLetterJobs(database, [{ lease: failedLease, error: 'x', waitMs: 0, permanent: true }])
    },
    'renewals of leases': async (client, database) => {
      const { text, values } = renewWorkerLease(database, { id: await newWorker(world), leaseMs: 30_000 })
      await client.query(text, values)
    },
  }

/** The strongest lock of this session on each table of the queue. */
async function locksOf(client: pg.Client): Promise<Record<string, string>> {
  const { rows } = await client.query<{ table: string; mode: string }>(
    `SELECT coalesce(p.relname, c.relname) AS table, l.mode FROM pg_locks AS l JOIN pg_class AS c ON c.oid = l.relation
       LEFT JOIN (pg_inherits AS i JOIN pg_class AS p ON p.oid = i.inhparent) ON i.inhrelid = c.oid
      WHERE l.pid = pg_backend_pid() AND c.relnamespace = 'queue'::regnamespace AND c.relkind IN ('r', 'p')`,
  )
  const strengthOf = (mode: string): number =>
    lockModes.findIndex((lockMode) => `${lockMode.replaceAll(' ', '')}LOCK` === mode.toUpperCase())
  const byStrength = rows.toSorted((a, b) => strengthOf(a.mode) - strengthOf(b.mode))
  return Object.fromEntries(byStrength.map(({ table, mode }) => [table, lockModes[strengthOf(mode)] ?? mode]))
}

test.each(queueMigrationSet.traffic)(
  '$name take the locks that a plan counts on',
  async ({ name, locks }) => {
    const client = await world.session()
    await client.query('BEGIN')
    await statements[name]?.(client, within(client))
    expect(await locksOf(client)).toEqual(locks)
    await client.query('ROLLBACK')
  },
)
