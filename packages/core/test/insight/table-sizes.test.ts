import { afterAll, beforeEach, expect, test } from '@jest/globals'
import { until } from '@queue/dev-postgres'
import { tableSizes } from '../../src/internal.ts'
import { enqueueProbes } from '../support/builders.ts'
import { openWorld } from '../support/world.ts'

const world = await openWorld()
afterAll(() => world.close())
beforeEach(() => world.reset())

async function jobsTable() {
  const sizes = await tableSizes(world.database)
  return sizes.find(({ table }) => table === 'jobs')
}

test('a table is as large as its rows and indexes, and its dead rows are counted', async () => {
  const names = (await tableSizes(world.database)).map(({ table }) => table)
  const tables = await world.sql<{ name: string }>(
    `SELECT relname::text AS name FROM pg_class
      WHERE relnamespace = 'queue'::regnamespace AND relkind IN ('r', 'p') AND NOT relispartition ORDER BY 1`,
  )
  expect(names).toEqual(tables.map(({ name }) => name))
  expect(names).toContain('jobs')
  const before = await jobsTable()
  await enqueueProbes(world, 500)
  const [size] = await world.sql<{ bytes: number }>(
    `SELECT pg_total_relation_size('queue.jobs')::float8 AS bytes`,
  )
  expect((await jobsTable())?.bytes).toBe(size?.bytes)
  expect(size?.bytes).toBeGreaterThan(before?.bytes ?? Number.NaN)
  await world.sql(`UPDATE queue.jobs SET priority = 5`)
  await world.sql('SELECT pg_stat_force_next_flush()')
  await until('the statistics have the dead rows', async () => ((await jobsTable())?.deadRows ?? 0) >= 500)
})

test('every table that jobs, firings or batches write to has its own vacuum settings', async () => {
  const tuned = await world.sql<{ name: string }>(
    `SELECT relname::text AS name FROM pg_class
      WHERE relnamespace = 'queue'::regnamespace
        AND reloptions::text LIKE '%autovacuum_vacuum_scale_factor%' ORDER BY 1`,
  )
  expect(tuned.map(({ name }) => name)).toEqual([
    'job_executions',
    'job_metadata',
    'job_unique_slots',
    'jobs',
    'lane_events',
    'lane_turns',
    'lanes',
    'limit_counters',
    'operations',
    'schedules',
    'waiting_counts',
  ])
})
