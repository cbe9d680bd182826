import { afterAll, beforeEach, expect, test } from '@jest/globals'
import { createTestRoles, until } from '@queue/dev-postgres'
import { processes } from '../../src/access/process-roles.ts'
import { connect, oldestSnapshotSeconds } from '../../src/internal.ts'
import { applyRoles } from '../support/roles.ts'
import { openWorld } from '../support/world.ts'

const world = await openWorld()
const testRoles = await createTestRoles(processes)
afterAll(async () => {
  await world.close()
  await testRoles.close()
})
beforeEach(() => world.reset())

const { database } = world

/** For how many seconds the session's transaction is open, by the database's clock. */
const openSince = `SELECT extract(epoch FROM clock_timestamp() - xact_start)::float8 AS seconds
  FROM pg_stat_activity WHERE pid = $1`

test.each([
  ['reads with one snapshot', 'BEGIN ISOLATION LEVEL REPEATABLE READ', 'SELECT 1'],
  ['has written and idles', 'BEGIN', 'CREATE TEMP TABLE held ()'],
])('a transaction that %s holds vacuum back for as long as it is open', async (_what, begin, statement) => {
  expect(await oldestSnapshotSeconds(database)).toBe(0)
  const holder = await world.session()
  await holder.query(begin)
  await holder.query(statement)
  const { rows } = await holder.query<{ pid: number }>('SELECT pg_backend_pid() AS pid')
  await until(
    'it has been open for a while',
    async () => ((await oldestSnapshotSeconds(database)) ?? 0) > 0.05,
  )
  const seconds = await oldestSnapshotSeconds(database)
  const [age] = await world.sql<{ seconds: number }>(openSince, [rows[0]?.pid])
  expect(seconds).toBeLessThanOrEqual(age?.seconds ?? 0)
  await holder.query('ROLLBACK')
  expect(await oldestSnapshotSeconds(database)).toBe(0)
})

test('a transaction without a statement has no snapshot', async () => {
  const idle = await world.session()
  await idle.query('BEGIN')
  expect(await oldestSnapshotSeconds(database)).toBe(0)
})

test('is unknown to a role that cannot see all sessions, until it has the grants that roles prints', async () => {
  const roles = testRoles.names()
  const options = { connectionString: world.directUrl, roles }
  const { administrator } = await applyRoles(options, 'set_up')
  const url = new URL(world.directUrl)
  url.searchParams.set('options', `-c role=${roles.api}`)
  const asApi = connect({ connectionString: url.href })
  try {
    const holder = await world.session()
    await holder.query('BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT 1')
    expect(await oldestSnapshotSeconds(asApi)).toBeNull()
    expect(administrator).toEqual([`GRANT pg_read_all_stats TO "${roles.api}", "${roles.readonly}";`])
    await world.sql(administrator[0] ?? '')
    expect(await oldestSnapshotSeconds(asApi)).toBeGreaterThan(0)
    await holder.query('ROLLBACK')
    expect(await applyRoles(options, 'set_up')).toMatchObject({ statements: [], administrator: [] })
  } finally {
    await asApi.close()
  }
})
