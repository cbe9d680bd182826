import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { afterAll, describe, expect, test } from '@jest/globals'
import pg from 'pg'
import { type Queue, createQueue } from '../../src/facade/queue.ts'
import { finishJobs } from '../../src/transitions/finish-jobs.ts'
import { claim, probe } from '../support/builders.ts'
import { openWorld } from '../support/world.ts'
import { databaseOf } from '../../src/enqueue/queue-internals.ts'

const world = await openWorld()
afterAll(() => world.close())

describe('queues on one pool of the caller', () => {
  test('add their listeners to the pool and its connections once, however many they are, until the last one is closed', async () => {
    const pool = new pg.Pool({ connectionString: world.directUrl, max: 1 })
    const queues = Array.from({ length: 15 }, () => createQueue({ pool }))
    for (const queue of queues) await queue.list()
    const client = await pool.connect()
    const listeners = () => ['error', 'connect'].map((event) => pool.listenerCount(event))
    const clientListeners = client.listenerCount('error')
    client.release()
    expect(listeners()).toEqual([1, 1])
    expect(clientListeners).toBeLessThanOrEqual(2)
    await queues.pop()?.close()
    expect(listeners()).toEqual([1, 1])
    await Promise.all(queues.map((queue) => queue.close()))
    await Promise.all(queues.map((queue) => queue.close()))
    expect(listeners()).toEqual([0, 0])
    await pool.end()
  })
})

/** Bytes of the heap in use after garbage collection. */
async function liveBytes(): Promise<number> {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  for (let round = 0; round < 3; round += 1) {
    collect()
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
  return process.memoryUsage().heapUsed
}

/** Sends each frequent statement, so that its text is compiled for the queue's schema, which does not exist. */
async function sendStatements(queue: Queue): Promise<void> {
  const lease = { jobId: '01900000-0000-7000-8000-000000000000', token: 1 }
  const refused = expect.objectContaining({ code: 'schema_mismatch' })
  await expect(queue.enqueue(probe, {})).rejects.toEqual(refused)
  await expect(claim({ database: databaseOf(queue) }, 'nobody', { limit: 1 })).rejects.toEqual(refused)
  await expect(finishJobs(databaseOf(queue), [{ lease, resultText: null, note: null }])).rejects.toEqual(
    refused,
  )
  await expect(queue.list()).rejects.toEqual(refused)
}

test('a closed queue leaves nothing of its schema in the memory of its process', async () => {
  const pool = new pg.Pool({ connectionString: world.directUrl, max: 1 })
  // The end of a pool does not wait for its sockets, and the database is dropped right after it.
  pool.on('connect', (client) => client.on('error', () => undefined))
  const openAndClose = async (name: string, count: number): Promise<void> => {
    for (let n = 0; n < count; n += 1) {
      const queue = createQueue({ pool, schema: `${name}_${n}`, preparedStatements: true })
      await sendStatements(queue)
      await queue.close()
    }
  }
  await openAndClose('warm', 20)
  const schemas = 150
  const before = await liveBytes()
  await openAndClose('gone', schemas)
  expect(((await liveBytes()) - before) / schemas).toBeLessThan(4_096)
  await pool.end()
})
