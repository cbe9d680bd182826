import { afterAll, beforeEach, describe, expect, test } from '@jest/globals'
import { skippedBehindPooler, until } from '@queue/dev-postgres'
import pg from 'pg'
import { notifyChannel } from '../../src/database/notifications.ts'
import { createQueue } from '../../src/facade/queue.ts'
import { finishJobs } from '../../src/transitions/finish-jobs.ts'
import { claim, newWorker, probe } from '../support/builders.ts'
import { openWorld } from '../support/world.ts'
import { databaseOf } from '../../src/enqueue/queue-internals.ts'

const world = await openWorld()
afterAll(() => world.close())
beforeEach(() => world.reset())

const describePrepared = skippedBehindPooler('prepared statements belong to a session')
  ? describe.skip
  : describe

describePrepared('a prepared statement that another user of the pool has discarded', () => {
  /** A service's pool of one connection, the statements sent on it, and a `DISCARD ALL` from other code. */
  function sharedPool() {
    const pool = new pg.Pool({ connectionString: world.url, max: 1 })
    const sent: string[] = []
    // The database may be dropped before the server has seen that this pool's connection has ended.
    pool.on('error', () => undefined)
    pool.on('connect', (client) => {
      const query = client.query.bind(client) as (config: pg.QueryConfig, ...rest: unknown[]) => unknown
      client.query = ((config: pg.QueryConfig, ...rest: unknown[]) => {
        sent.push(config.text)
        return query(config, ...rest)
      }) as typeof client.query
    })
    const discardAll = async (): Promise<void> => {
      const client = await pool.connect()
      await client.query({ text: 'DISCARD ALL' })
      client.release()
      sent.length = 0
    }
    return { pool, sent, discardAll }
  }

  test('is prepared again: no enqueue, claim or finish fails', async () => {
    const { pool, discardAll } = sharedPool()
    const queue = createQueue({ pool, preparedStatements: true })
    const workerId = await newWorker(world)
    for (let n = 0; n < 30; n += 1) {
      const { job } = await queue.enqueue(probe, n)
      await discardAll()
      const [claimed] = await claim({ database: databaseOf(queue) }, workerId, { limit: 1 })
      expect(claimed).toMatchObject({ id: job.id, attempt: 1 })
      await discardAll()
      const write = { lease: { jobId: job.id, token: 1 }, resultText: null, note: null }
      expect(await finishJobs(databaseOf(queue), [write])).toMatchObject([{ outcome: 'finished' }])
      await discardAll()
    }
    expect(await world.sql('SELECT DISTINCT status, attempts FROM queue.all_jobs')).toEqual([
      { status: 'succeeded', attempts: 1 },
    ])
    await queue.close()
    await pool.end()
  })

  test('carries its notification, which is sent after it and not before', async () => {
    const listener = await world.session()
    const payloads: string[] = []
    listener.on('notification', ({ payload = '' }) => payloads.push(payload))
    await listener.query(`LISTEN "${notifyChannel('queue')}"`)
    const { pool, sent, discardAll } = sharedPool()
    const queue = createQueue({ pool, preparedStatements: true })
    await queue.enqueue(probe, 0, { queue: 'first' })
    await until('the first is received', async () => payloads.includes('first'))
    await discardAll()
    await queue.enqueue(probe, 1, { queue: 'second' })
    await until('the second is received', async () => payloads.includes('second'))
    const kinds = sent.map((text) => /INSERT|pg_notify/.exec(text)?.[0])
    expect(kinds.lastIndexOf('pg_notify')).toBeGreaterThan(kinds.lastIndexOf('INSERT'))
    expect(kinds.filter((kind) => kind === 'INSERT')).toHaveLength(2)
    await queue.close()
    await pool.end()
  })

  test('costs one more statement, once', async () => {
    const { pool, sent, discardAll } = sharedPool()
    const queue = createQueue({ pool, preparedStatements: true })
    const enqueue = () => queue.enqueue(probe, 0, { notify: false })
    await enqueue()
    await discardAll()
    await enqueue()
    expect(sent).toHaveLength(2)
    await enqueue()
    expect(sent).toHaveLength(3)
    await queue.close()
    await pool.end()
  })
})
