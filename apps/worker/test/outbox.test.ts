import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals'
import { sendEmail } from '@queue/core'
import { applyOutboxRoles, createOutbox, defineMessage, migrateOutbox, type Outbox } from '@queue/outbox'
import { createTestDatabase, eventually, type TestDatabase } from '@queue/testing'
import { createWorkerProcesses, type WorkerProcess } from './worker-process.ts'

const workers = createWorkerProcesses()
const message = defineMessage({ topic: sendEmail.kind, payload: sendEmail.payload })
let database: TestDatabase
let service: TestDatabase
let outbox: Outbox

beforeAll(async () => {
  database = await createTestDatabase()
  service = await createTestDatabase()
  const options = { connectionString: service.url, schema: 'mine' }
  await migrateOutbox(options)
  // The roles that every test database has, used here as those of the outbox.
  const roles = { publisher: 'queue_test_api', relay: 'queue_test_worker', readonly: 'queue_test_readonly' }
  await applyOutboxRoles({ ...options, roles }, 'set_up')
  outbox = createOutbox({ pool: service.pool, schema: 'mine' })
})

afterEach(() => workers.killAll())

afterAll(async () => {
  await service?.close()
  await database?.close()
})

function start(env: Readonly<Record<string, string>> = {}): WorkerProcess {
  return workers.start({
    env: {
      DATABASE_URL: database.urlAs('worker'),
      WORKER_OUTBOX: 'on',
      OUTBOX_DATABASE_URL: service.urlAs('worker'),
      OUTBOX_SCHEMA: 'mine',
      WORKER_QUEUES: 'nobody',
      ...env,
    },
  })
}

async function publish(subject: string): Promise<string> {
  const client = await service.pool.connect()
  try {
    await client.query('BEGIN')
    const payload = { to: 'ada@example.com', subject, body: '' }
    const id = await outbox.publish(message.create(payload), { transaction: client })
    await client.query('COMMIT')
    return id
  } finally {
    client.release()
  }
}

test('WORKER_OUTBOX relays the outbox of another database, counts it, and drains on SIGTERM', async () => {
  const worker = start()
  const id = await publish('one')
  const job = await eventually(async () => (await database.queue.list({ kind: 'send_email' })).jobs[0])
  expect(job).toMatchObject({ idempotencyKey: id, payload: { subject: 'one' } })
  await eventually(async () =>
    (await worker.page('/metrics')).body.includes('outbox_delivered_total{topic="send_email"} 1'),
  )
  // Scrapes share a reading, and the one before may be of the time before the delivery.
  await eventually(async () => (await worker.page('/metrics')).body.includes('outbox_pending 0'))
  worker.process.kill('SIGTERM')
  expect((await worker.ended).code).toBe(0)
  expect(await outbox.get(id)).toMatchObject({ deliveredAt: expect.any(Date) })
})

test('an outbox that is not migrated ends the process with the exit code of a wrong schema', async () => {
  const ended = await start({ OUTBOX_SCHEMA: 'nowhere' }).ended
  expect(ended.code).toBe(3)
  expect(ended.stdout + ended.stderr).toContain('run queue-migrate outbox up')
})

test('without WORKER_OUTBOX the outbox is not used', async () => {
  const worker = start({ WORKER_OUTBOX: 'off', OUTBOX_SCHEMA: 'nowhere' })
  await eventually(async () => (await worker.page('/readyz')).status === 200)
  expect((await worker.page('/metrics')).body).not.toContain('outbox_')
})
