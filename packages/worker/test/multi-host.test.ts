import { expect, test } from '@jest/globals'
import { eventually, skippedBehindPooler } from '@queue/test-database'
import { useWorld } from './support/world.ts'

const world = useWorld()

/** The application names of a worker's connections, in order. */
const names = ['queue-handler', 'queue-lease', 'queue-listener', 'queue-worker']

const testServer = skippedBehindPooler('which server a connection is to, and its name, are of the pooler')
  ? test.skip
  : test

testServer('every connection of a worker is made to the one of several hosts that takes writes', async () => {
  const url = new URL(world.database.urlAs('worker'))
  // Nothing listens on port 1.
  const connectionString = url.href.replace(`@${url.host}`, `@127.0.0.1:1,${url.host}`)
  await world.work(async (_job, ctx) => ctx.transaction((client) => client.query('SELECT 1')), {
    connectionString,
  })
  const id = await world.enqueue()
  await world.reached(id, 'succeeded')
  await eventually(async () => {
    const { rows } = await world.database.pool.query<{ name: string }>(
      `SELECT DISTINCT application_name AS name FROM pg_stat_activity
        WHERE datname = current_database() AND application_name = ANY ($1) ORDER BY name`,
      [names],
    )
    expect(rows.map(({ name }) => name)).toEqual(names)
    return true
  })
})
