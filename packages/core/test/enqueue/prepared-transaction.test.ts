import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { type PostgresServer, onConnection, startEmbeddedPostgres } from '@queue/dev-postgres'
import { z } from 'zod'
import { type Queue, createQueue, defineJob, migrateUp } from '../../src/index.ts'

const probe = defineJob({ kind: 'probe', payload: z.looseObject({}) })
let server: PostgresServer
let queue: Queue

beforeAll(async () => {
  server = await startEmbeddedPostgres({ settings: { max_prepared_transactions: 2 } })
  await migrateUp({ connectionString: server.url })
  queue = createQueue({ connectionString: server.url })
})

afterAll(async () => {
  await queue.close()
  await server.stop()
})

describe('a transaction that is prepared for a two-phase commit', () => {
  test.each([
    ['a job', {}],
    ['a job with an idempotency key', { idempotencyKey: 'prepared' }],
    ['a job with a unique key', { unique: { key: 'prepared', scope: 'live' } as const }],
  ])('can enqueue %s with notify: false, which exists from its commit on', async (_what, options) => {
    await onConnection(server.url, async (client) => {
      await client.query('BEGIN')
      const { job } = await queue.enqueue(probe, {}, { ...options, transaction: client, notify: false })
      await client.query(`PREPARE TRANSACTION 'first'`)
      expect(await queue.get(job.id)).toBeUndefined()
      await client.query(`COMMIT PREPARED 'first'`)
      expect(await queue.get(job.id)).toMatchObject({ status: 'queued' })
    })
  })

  test('is refused by PostgreSQL where an enqueue has notified the workers', async () => {
    await onConnection(server.url, async (client) => {
      await client.query('BEGIN')
      await queue.enqueue(probe, {}, { transaction: client })
      await expect(client.query(`PREPARE TRANSACTION 'second'`)).rejects.toMatchObject({ code: '0A000' })
    })
  })
})
