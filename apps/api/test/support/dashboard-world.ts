import { randomBytes } from 'node:crypto'
import { createKey, digestSecret, formatApiKey, type KeyBounds, type KeyRole } from '@queue/core/access'
import { insertJob, insertWorker, type TestDatabase } from '@queue/testing'

/** What the pages of the dashboard show in tests and in pictures: a queue in the middle of its day. */
export interface DashboardWorld {
  /** A job that has failed twice in different ways and waits for its third attempt. */
  readonly retryingId: string
  readonly runningId: string
  readonly succeededId: string
  readonly failedId: string
}

const failures = [
  [
    'webhook_delivery',
    'webhooks',
    'Error: POST https://shop.example/hooks answered 503\n    at deliver (webhook.ts:41:11)',
  ],
  ['send_email', 'mail', 'SmtpError: 550 no mailbox "ada@example.com"\n    at send (mail.ts:22:9)'],
  [
    'resize_image',
    'images',
    'Error: the image has 90000000 pixels, more than the limit\n    at resize (image.ts:57:13)',
  ],
] as const

/** Fills an empty queue. */
export async function fillQueue(database: TestDatabase): Promise<DashboardWorld> {
  await insertWorkers(database)
  await insertFailures(database)
  await insertWaiting(database)
  const succeeded = await insertJob(database, {
    kind: 'summarize_text',
    status: 'succeeded',
    attempts: 1,
    payload: { text: 'A long text.', max_sentences: 2 },
    result: { summary: 'A text.', sentences: 1 },
  })
  const running = await insertJob(database, {
    kind: 'resize_image',
    queue: 'images',
    status: 'running',
    attempts: 1,
    lockedBy: 'images-7f4c',
    payload: { source_url: 'https://example.com/1.png', width: 640, height: 480, format: 'webp' },
    progress: 40,
    progressMessage: 'decoding',
  })
  const retryingId = await insertRetrying(database)
  await database.pool.query(
    `UPDATE queue.workers SET hostname = id, version = '1.4.2', kinds = '{send_email,resize_image,webhook_delivery,summarize_text}'`,
  )
  const { deadLetters } = await database.queue.deadLetters.list({ limit: 1 })
  await database.pool.query(
    `UPDATE queue.queues SET paused_at = now() - interval '3 hours' WHERE name = 'billing'`,
  )
  return {
    retryingId,
    runningId: running.id,
    succeededId: succeeded.id,
    failedId: deadLetters[0]?.jobId ?? '',
  }
}

async function insertWorkers(database: TestDatabase): Promise<void> {
  const names = ['mail', 'images', 'webhooks', 'billing', 'reports', 'default']
  await database.pool.query(
    'INSERT INTO queue.queues (name) SELECT unnest($1::text[]) ON CONFLICT DO NOTHING',
    [names],
  )
  await insertWorker(database, { id: 'mail-2b1d', queues: ['mail', 'default'], concurrency: 16 })
  await insertWorker(database, { id: 'images-7f4c', queues: ['images'], concurrency: 4 })
  await insertWorker(database, { id: 'reports-0c2e', queues: ['reports'], state: 'lost', leaseMs: -240_000 })
  await insertWorker(database, { id: 'hooks-93aa', queues: ['webhooks', 'billing'], concurrency: 8 })
}

async function insertFailures(database: TestDatabase): Promise<void> {
  for (let index = 0; index < 14; index += 1) {
    const [kind, queue, error] = failures[index % 7 === 0 ? 2 : index % 3 === 0 ? 1 : 0] ?? failures[0]
    await insertJob(database, {
      kind,
      queue,
      status: 'failed_permanent',
      attempts: 3,
      maxAttempts: 3,
      lastError: error,
      payload: { order_id: 4_700 + index, to: 'ada@example.com' },
    })
  }
}

/** Waiting jobs of several queues; nobody serves `reports`, and `billing` is paused. */
async function insertWaiting(database: TestDatabase): Promise<void> {
  await database.pool.query(
    `INSERT INTO queue.jobs (id, kind, queue, payload, run_at, created_at)
     SELECT (substr(at.hex, 1, 8) || '-' || substr(at.hex, 9) || '-7' || substr(md5(random()::text), 1, 3) || '-8' ||
             substr(md5(random()::text), 1, 3) || '-' || substr(md5(random()::text), 1, 12))::uuid, w.kind, w.queue, jsonb_build_object('order_id', n), now() - w.age, now() - w.age
       FROM (VALUES ('send_email', 'mail', 420, interval '2 seconds'),
                    ('webhook_delivery', 'webhooks', 120, interval '1 second'),
                    ('resize_image', 'images', 60, interval '9 minutes'),
                    ('send_email', 'billing', 88, interval '3 hours'),
                    ('summarize_text', 'reports', 12, interval '4 minutes')) AS w (kind, queue, many, age),
            generate_series(1, w.many) AS n,
            LATERAL (SELECT lpad(to_hex((extract(epoch FROM now() - w.age) * 1000)::bigint), 12, '0') AS hex) AS at`,
  )
}

async function insertRetrying(database: TestDatabase): Promise<string> {
  const { id } = await insertJob(database, {
    kind: 'send_email',
    queue: 'mail',
    status: 'retrying',
    attempts: 2,
    maxAttempts: 5,
    runAt: { msFromNow: 240_000 },
    lastError: 'SmtpError: 421 try again later\n    at send (mail.ts:22:9)',
    payload: { to: 'ada@example.com', subject: 'Invoice 4711', body: 'Thank you.' },
  })
  await database.pool.query(
    `UPDATE queue.job_executions
        SET error = CASE attempt WHEN 1 THEN E'SmtpError: the connection was refused\\n    at connect (mail.ts:12:5)'
                                 ELSE E'SmtpError: 421 try again later\\n    at send (mail.ts:22:9)' END,
            started_at = now() - (3 - attempt) * interval '1 minute',
            finished_at = now() - (3 - attempt) * interval '1 minute' + interval '340 milliseconds'
      WHERE job_id = $1`,
    [id],
  )
  await database.pool.query(
    `UPDATE queue.jobs SET created_at = now() - interval '2 minutes 2 seconds' WHERE id = $1`,
    [id],
  )
  return id
}

/** The schedules of that queue, as requests make them. */
export const schedules = [
  { name: 'nightly-report', cron: '0 2 * * *', time_zone: 'Europe/Berlin' },
  { name: 'heartbeat', every_ms: 60_000 },
  { name: 'monthly-invoices', cron: '0 6 1 * *' },
].map((timing) => ({
  kind: 'send_email',
  payload: { to: 'ada@example.com', subject: 'Report', body: 'It is attached.' },
  ...timing,
}))

export interface MadeKey {
  readonly id: string
  readonly text: string
}

/** A key of the API, as `migrate keys create` makes one. */
export async function makeKey(
  database: TestDatabase,
  { id, role, bounds }: { readonly id: string; readonly role: KeyRole; readonly bounds?: KeyBounds },
): Promise<MadeKey> {
  const secret = randomBytes(32)
  const key = { id, digest: digestSecret(secret), name: `${role} of the tests`, role, permissions: [] }
  await createKey(database.queue.database, { ...key, ...(bounds !== undefined && { bounds }) })
  return { id, text: formatApiKey(id, secret) }
}
