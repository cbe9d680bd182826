import { randomBytes } from 'node:crypto'
import type { Rate, KeyBounds, KeyRole } from '@queue/core'
import { createKey, digestSecret, formatApiKey, databaseOf } from '@queue/core/internal'
import { addUpStats } from '@queue/test-database'
import { insertJob, insertWorker, type TestDatabase } from '@queue/testing'
import { insertKeyed } from './dashboard-world-keys.ts'

/** The content of the dashboard in tests and pictures: a queue in a typical state. */
export interface DashboardWorld {
  /** A job that has failed twice in different ways and waits for its third attempt. */
  readonly retryingId: string
  /** A waiting job with several reasons why it does not start. */
  readonly waitingId: string
  readonly runningId: string
  readonly succeededId: string
  readonly failedId: string
  /** The fingerprint of most failures. */
  readonly fingerprint: string
  /** A bulk action in progress. */
  readonly operationId: string
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

/** No worker renews leases in these tests, so they outlast the tests. */
const leaseMs = 3_600_000

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
  await insertCauses(database)
  await insertNumbers(database)
  await insertKeyed(database)
  await setLimits(database)
  await insertLogs(database, [retryingId, running.id])
  const waiting = await insertJob(database, {
    kind: 'webhook_delivery',
    queue: 'webhooks',
    key: 'c-3',
    runAt: { msFromNow: 600_000 },
    metadata: { order_id: 4_712, customer: 'shop' },
    payload: { url: 'https://shop.example/hooks', body: { order_id: 4_712 } },
  })
  const { deadLetters } = await database.queue.deadLetters.list({ kind: 'webhook_delivery', limit: 1 })
  await database.pool.query(
    `UPDATE queue.queues SET paused_at = now() - interval '3 hours' WHERE name = 'billing'`,
  )
  return {
    retryingId,
    waitingId: waiting.id,
    runningId: running.id,
    succeededId: succeeded.id,
    failedId: deadLetters[0]?.jobId ?? '',
    fingerprint: await fingerprintOf(database, 'webhook_delivery'),
    operationId: await insertOperations(database),
  }
}

async function insertWorkers(database: TestDatabase): Promise<void> {
  const names = ['mail', 'images', 'webhooks', 'billing', 'reports', 'default']
  await database.pool.query(
    'INSERT INTO queue.queues (name) SELECT unnest($1::text[]) ON CONFLICT DO NOTHING',
    [names],
  )
  await insertWorker(database, { id: 'mail-2b1d', queues: ['mail', 'default'], concurrency: 16, leaseMs })
  await insertWorker(database, { id: 'images-7f4c', queues: ['images'], concurrency: 4, leaseMs })
  await insertWorker(database, { id: 'reports-0c2e', queues: ['reports'], state: 'lost', leaseMs: -240_000 })
  await insertWorker(database, {
    id: 'hooks-93aa',
    queues: ['webhooks', 'billing'],
    concurrency: 12,
    leaseMs,
  })
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
      createdAt: { msFromNow: -(7 * (index + 1) + 3) * 60_000 },
      payload: { order_id: 4_700 + index, to: 'ada@example.com' },
    })
  }
}

/** All failures of a kind are one error group. The errors of images are new in the latest release. */
async function insertCauses(database: TestDatabase): Promise<void> {
  const cause = `left(md5(j.kind), 16)`
  await database.pool.query(
    `UPDATE queue.job_executions AS e SET fingerprint = ${cause}, error_class = substring(coalesce(j.last_error, 'Error') FROM '^[A-Za-z]+'),
            error = coalesce(nullif(e.error, 'the attempt failed'), j.last_error), worker_id = 'hooks-93aa'
       FROM queue.all_jobs AS j WHERE j.id = e.job_id AND e.outcome = 'failed'`,
  )
  // Spreads the failures over time, the newest minutes ago, with a pause between attempts.
  await database.pool.query(
    `WITH aged AS (SELECT id, row_number() OVER (ORDER BY id DESC) * interval '7 minutes' AS age
                     FROM queue.all_jobs WHERE status = 'failed_permanent'),
          moved AS (UPDATE queue.jobs AS j SET created_at = now() - age - interval '3 minutes', finished_at = now() - age
                      FROM aged WHERE aged.id = j.id),
          letters AS (UPDATE queue.dead_letter_jobs AS d SET dead_lettered_at = now() - age
                        FROM aged WHERE aged.id = d.job_id)
     UPDATE queue.job_executions AS e
        SET started_at = now() - age - (3 - attempt) * interval '70 seconds' - attempt * interval '130 milliseconds',
            finished_at = now() - age - (3 - attempt) * interval '70 seconds'
       FROM aged WHERE aged.id = e.job_id`,
  )
  await database.pool.query(`UPDATE queue.dead_letter_jobs AS j SET fingerprint = ${cause}`)
  await database.pool.query(
    `INSERT INTO queue.job_errors (queue, fingerprint, first_seen_at, last_seen_at, sampled_at, sample_job_id, count, kind,
                                   error_class, first_version, worker_versions, sample_error)
     SELECT queue, ${cause}, now() - CASE kind WHEN 'resize_image' THEN 29 WHEN 'send_email' THEN 300 ELSE 640 END * interval '1 hour',
            now() - count(*) * interval '1 minute', now(), (array_agg(id))[1], 1, kind,
            substring(max(last_error) FROM '^[A-Za-z]+'), CASE WHEN kind = 'resize_image' THEN '1.4.2' ELSE '1.3.0' END,
            CASE WHEN kind = 'resize_image' THEN '{1.4.2}'::text[] ELSE '{1.4.2,1.4.1,1.3.0}' END, max(last_error)
       FROM queue.all_jobs AS j WHERE last_error IS NOT NULL GROUP BY queue, kind`,
  )
  await insertTrends(database)
}

/**
 * The hourly failures of each error group, consistent with the numbers: a receiver was unavailable for some hours, mail bounces now and
 * then, and images fail since the latest release.
 */
async function insertTrends({ pool }: TestDatabase): Promise<void> {
  await pool.query(
    `WITH seen AS (
       SELECT e.id, date_trunc('hour', now(), 'UTC') - n * interval '1 hour' AS at,
              CASE WHEN n < 30 THEN '1.4.2' WHEN n < 80 THEN '1.4.1' ELSE '1.3.0' END AS version,
              CASE e.kind WHEN 'resize_image' THEN 22 + (14 * sin(n / 3.0))::int + 40 / (n + 1)
                          WHEN 'send_email' THEN (n % 13 = 0)::int * 180 + (n % 3) * 7
                          ELSE CASE WHEN n BETWEEN 18 AND 21 THEN 1620 ELSE (n % 4 = 0)::int * 180 + n * 7 % 23 END END AS count
         FROM queue.job_errors AS e, generate_series(0, 719) AS n
        WHERE date_trunc('hour', now(), 'UTC') - n * interval '1 hour' >= e.first_seen_at
     ), sums AS (
       SELECT id, date_trunc('day', at, 'UTC') AS day, version, sum(count) AS count FROM seen GROUP BY 1, 2, 3 HAVING sum(count) > 0
     ), days AS (
       INSERT INTO queue.job_error_days (error_id, day, version, count, hours)
       SELECT s.*, ARRAY(SELECT coalesce((SELECT o.count FROM seen AS o
                                           WHERE (o.id, o.version, o.at) = (s.id, s.version, s.day + n * interval '1 hour')), 0)
                           FROM generate_series(0, 23) AS n)
         FROM sums AS s
       RETURNING error_id, count
     )
     UPDATE queue.job_errors AS e SET count = (SELECT sum(d.count) FROM days AS d WHERE d.error_id = e.id)`,
  )
}

async function fingerprintOf({ pool }: TestDatabase, kind: string): Promise<string> {
  const { rows } = await pool.query<{ fingerprint: string }>(
    'SELECT fingerprint FROM queue.job_errors WHERE kind = $1',
    [kind],
  )
  return rows[0]?.fingerprint ?? ''
}

/** An hour by minutes and a month by hours, in which the load rises and falls, and a time in which a receiver was away. */
async function insertNumbers(database: TestDatabase): Promise<void> {
  for (const [period, steps, scale] of [
    ['minute', 60, 1],
    ['hour', 720, 60],
  ] as const) {
    await database.pool.query(
      `INSERT INTO queue.job_stats (period, at, queue, kind, enqueued, started, succeeded, failed, retried, wait_buckets, run_buckets)
       SELECT $1, date_trunc($1, now()) - n * ('1 ' || $1)::interval, queue, kind, many, many, many - failed, failed, failed * 2,
              jsonb_build_object(74 + slow, many * 8, 84 + slow, many / 2, 98 + slow, many / 12),
              jsonb_build_object(104, many * 8, 108 + slow / 2, many / 2, 116 + slow / 3, many / 10)
         FROM (SELECT n, queue, kind, (8 + 7 * sin(n / 8.0))::int AS slow, $3 * (share * (60 + 45 * sin(n / 9.0) + n * 7 % 11))::int AS many,
                      $3 * CASE WHEN kind = 'webhook_delivery' THEN CASE WHEN n BETWEEN 18 AND 21 THEN 9 ELSE (n % 4 = 0)::int END
                                ELSE (n % 13 = 0)::int END AS failed
                 FROM generate_series(0, $2 - 1) AS n, (VALUES ('mail', 'send_email', 1.0), ('webhooks', 'webhook_delivery', 0.4),
                                                               ('images', 'resize_image', 0.2)) AS k (queue, kind, share)) AS s`,
      [period, steps, scale],
    )
  }
  await addUpStats(database)
}

async function setLimits({ queue: { limits } }: TestDatabase): Promise<void> {
  await limits.set({ queue: 'images', scope: 'queue', maxRunning: 4, maxWaiting: 5_000 })
  await limits.set({
    queue: 'webhooks',
    scope: 'kind',
    name: 'webhook_delivery',
    maxRunning: 20,
    rate: { count: 100, perMs: 60_000, burst: 10 },
  })
  await limits.set({ queue: 'reports', scope: 'each_key', ordered: { onRetry: 'block' } })
  await limits.set({ queue: 'webhooks', scope: 'key', name: 'c-3', paused: true })
}

/** Acts on many jobs, the latest of which runs. */
async function insertOperations({ pool }: TestDatabase): Promise<string> {
  const { rows } = await pool.query<{ id: string }>(
    `INSERT INTO queue.operations (id, act, filter, run_at, rate, up_to, state, expected, expected_is_least, changed, skipped, reason, actor_type,
                                   actor, actor_name, created_at, finished_at)
     SELECT ('01980d3c-7a1e-7c3a-9f52-3b1f6c0de10' || n)::uuid, act, filter::jsonb, run_at, rate,
            '01980d3c-7a1e-7c3a-9f52-3b1f6c0de100', state, expected, false,
            changed, skipped, reason, 'key', 'k3x9d0aq', who, now() - age, now() - age + took
       FROM (VALUES (1, 'erase', '{"metadata":{"customer":"c-9"}}', NULL::timestamptz, NULL::int, 'succeeded', 412, 409, 3,
                     NULL, 'ana', interval '2 days', interval '9 seconds'),
                    (2, 'requeue', '{"kind":"send_email","status":"failed_permanent"}', NULL, 200, 'refused', 18400, 6200, 0,
                     'the key was revoked', 'support desk', interval '5 hours', interval '31 seconds'),
                    (3, 'reschedule', '{"queue":"reports"}', now() + interval '6 hours', NULL, 'cancelled', 2400, 1500, 12,
                     NULL, 'ana', interval '70 minutes', interval '4 seconds'),
                    (4, 'cancel', '{"queue":"mail","metadata":{"customer":"c-3"}}', NULL, 100, 'running', 42000, 17300, 18,
                     NULL, 'ben', interval '3 minutes', NULL))
            AS o (n, act, filter, run_at, rate, state, expected, changed, skipped, reason, who, age, took)
      ORDER BY n RETURNING id`,
  )
  return rows.at(-1)?.id ?? ''
}

const logged = [
  ['info', 'connected to the mail server', { host: 'smtp.example.com', tls: 'TLSv1.3' }],
  ['debug', 'EHLO queue.example.com', null],
  ['warn', 'the server asks to slow down', { reply: 421, wait_ms: 240_000 }],
  ['error', 'giving up for now', { code: 'ECONNREFUSED' }],
] as const

async function insertLogs({ pool }: TestDatabase, ids: readonly string[]): Promise<void> {
  for (const [index, [level, message, fields]] of logged.entries()) {
    await pool.query(
      `INSERT INTO queue.job_logs (job_id, lease_token, at, line, attempt, level, message, fields)
       SELECT id, n, now() - (3 - n) * interval '1 minute' + $2 * interval '80 milliseconds', $2, n, $3, $4, $5
         FROM unnest($1::uuid[]) AS id, generate_series(1, 2) AS n`,
      [ids, index + 1, level, message, fields === null ? null : JSON.stringify(fields)],
    )
  }
}

/** Waiting jobs of several queues. No worker serves `reports`, and `billing` is paused. */
async function insertWaiting(database: TestDatabase): Promise<void> {
  await database.pool.query(
    `WITH job AS (
     INSERT INTO queue.jobs (id, kind, queue, payload, metadata, run_at, created_at)
     SELECT (substr(at.hex, 1, 8) || '-' || substr(at.hex, 9) || '-7' || substr(md5(random()::text), 1, 3) || '-8' ||
             substr(md5(random()::text), 1, 3) || '-' || substr(md5(random()::text), 1, 12))::uuid, w.kind, w.queue, jsonb_build_object('order_id', 4600 + n),
            jsonb_build_object('order_id', 4600 + n, 'customer', 'c-' || n % 7), now() - w.age, now() - w.age
       FROM (VALUES ('send_email', 'mail', 420, interval '2 seconds'),
                    ('webhook_delivery', 'webhooks', 120, interval '1 second'),
                    ('resize_image', 'images', 60, interval '9 minutes'),
                    ('send_email', 'billing', 88, interval '3 hours'),
                    ('summarize_text', 'reports', 12, interval '4 minutes')) AS w (kind, queue, many, age),
            generate_series(1, w.many) AS n,
            LATERAL (SELECT lpad(to_hex((extract(epoch FROM now() - w.age) * 1000)::bigint), 12, '0') AS hex) AS at
     RETURNING id, metadata)
     INSERT INTO queue.job_metadata (job_id, name, value)
     SELECT id, m.key, m.value FROM job, LATERAL jsonb_each_text(job.metadata) AS m`,
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

interface KeyOptions {
  readonly id: string
  readonly role: KeyRole
  readonly bounds?: KeyBounds
  readonly rate?: Rate
}

/** A key of the API, as `queue keys create` makes one. */
export async function makeKey(database: TestDatabase, { id, role, ...limits }: KeyOptions): Promise<MadeKey> {
  const secret = randomBytes(32)
  const key = { id, digest: digestSecret(secret), name: `${role} of the tests`, role, permissions: [] }
  await createKey(databaseOf(database.queue), { ...key, ...limits })
  return { id, text: formatApiKey(id, secret) }
}
