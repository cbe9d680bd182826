import { describe, expect, test } from '@jest/globals'
import { sendEmail } from '@queue/core'
import { acquireServer } from '@queue/dev-postgres'
import pg from 'pg'
import { createTestDatabase } from '../src/index.ts'

const email = { to: 'somebody@example.com', subject: 'Hello', body: 'Hello' }

describe('a test database', () => {
  test('is migrated and independent of others', async () => {
    const [first, second] = await Promise.all([createTestDatabase(), createTestDatabase()])
    try {
      const { job } = await first.queue.enqueue(sendEmail, email)
      expect(await first.queue.get(job.id)).toMatchObject({ status: 'queued' })
      expect(await second.queue.get(job.id)).toBeUndefined()
      expect((await second.queue.checkSchema()).status).toBe('compatible')
    } finally {
      await first.close()
      await second.close()
    }
  })

  test('can have its queue in any schema', async () => {
    const database = await createTestDatabase({ schema: 'elsewhere' })
    try {
      await database.queue.enqueue(sendEmail, email)
      const result = await database.pool.query('SELECT kind FROM elsewhere.jobs')
      expect(result.rows).toEqual([{ kind: 'send_email' }])
    } finally {
      await database.close()
    }
  })

  test('can be used with the role of a process, which has only the privileges that the process needs', async () => {
    const database = await createTestDatabase({ schema: 'elsewhere' })
    try {
      const client = new pg.Client({ connectionString: database.urlAs('readonly') })
      await client.connect()
      expect((await client.query('SELECT FROM elsewhere.jobs')).rows).toEqual([])
      await expect(client.query('DELETE FROM elsewhere.jobs')).rejects.toMatchObject({ code: '42501' })
      await client.end()
    } finally {
      await database.close()
    }
  })

  test('is dropped when it is closed, despite open connections, and closing is idempotent', async () => {
    const database = await createTestDatabase()
    const stranger = new pg.Client({ connectionString: database.url })
    stranger.on('error', () => undefined)
    await stranger.connect()
    await database.pool.query('SELECT 1')
    await Promise.all([database.close(), database.close()])
    const client = new pg.Client({ connectionString: database.url })
    await expect(client.connect()).rejects.toThrow(/does not exist/)
  })

  test('can be created on an existing server, which keeps running', async () => {
    const server = await acquireServer()
    try {
      const database = await createTestDatabase({ serverUrl: server.url })
      expect(new URL(database.url).host).toBe(new URL(server.url).host)
      await database.close()
      const client = new pg.Client({ connectionString: server.url })
      await client.connect()
      await client.query('SELECT 1')
      await client.end()
    } finally {
      await server.stop()
    }
  })
})
