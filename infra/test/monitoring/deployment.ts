import { createTestDatabase, eventually, insertJob, insertWorker, type TestDatabase } from '@queue/testing'
import { endedAttempts } from '@queue/test-database'
import { type AppProcess, runMigrate, startApp } from './app-process.ts'
import { parseExposition, type Sample, sumOf } from './exposition.ts'

/** An API process and a worker process that have used every feature that has a metric. */
export interface Deployment {
  readonly database: TestDatabase
  /** The URL of each process. */
  readonly urls: Readonly<Record<'api' | 'worker', string>>
  /** The metrics of each process after its work. */
  readonly api: readonly Sample[]
  readonly worker: readonly Sample[]
  close(): Promise<void>
}

const payloads = {
  send_email: { to: 'a@example.org', subject: 'Hello', body: 'Hello.' },
  resize_image: { source_url: 'https://example.org/a.png', width: 10, height: 10 },
  summarize_text: { text: 'A long story.' },
  webhook_delivery: { url: 'https://example.org/hook' },
}

export const jobsOfEachKind = 15

/** Starts both processes, runs jobs of every kind to every outcome that the simulation has, and scrapes the processes. */
export async function runDeployment(): Promise<Deployment> {
  const database = await createTestDatabase()
  const apps: AppProcess[] = []
  const close = async (): Promise<void> => {
    await Promise.all(apps.map((app) => app.stop()))
    await database.close()
  }
  try {
    const env = { QUEUE_SCHEMA: database.schema }
    await insertOrphanedJobs(database)
    await fillOutbox(database)
    // The statement for an administrator that `queue-migrate roles` prints.
    await database.pool.query('GRANT pg_read_all_stats TO queue_test_api, queue_test_readonly')
    const api = await startApp('api', { ...env, DATABASE_URL: database.urlAs('api') })
    apps.push(api)
    await enqueueOverHttp(api.url)
    await fillQueue(database, api.url)
    const worker = await startApp('worker', {
      ...env,
      DATABASE_URL: database.urlAs('worker'),
      WORKER_OUTBOX: 'on',
      OUTBOX_MAX_ATTEMPTS: '1',
      WORKER_SIMULATION_SPEED: '1000',
      WORKER_POLL_INTERVAL_MS: '20',
      WORKER_QUEUES: 'default,test',
    })
    apps.push(worker)
    await untilAllHaveEnded(database)
    const urls = { api: api.url, worker: worker.url }
    const scraped = await scrapeOnceCounted(database, api, worker)
    const unserved = await scrapeUnserved(database, api)
    return { database, urls, close, worker: scraped.worker, api: [...scraped.api, ...unserved] }
  } catch (error) {
    await close()
    throw error
  }
}

/** How many of the messages of `fillOutbox` are delivered or dead-lettered. */
const messagesThatEnd = Object.keys(payloads).length + 2

/**
 * Publishes messages that become jobs, one that cannot, one that no relay delivers, and one whose relay was lost during its
 * last attempt.
 */
async function fillOutbox(database: TestDatabase): Promise<void> {
  const env = {
    DATABASE_URL: database.url,
    // The roles that every test database has.
    OUTBOX_ROLE_PUBLISHER: 'queue_test_api',
    OUTBOX_ROLE_RELAY: 'queue_test_worker',
    OUTBOX_ROLE_READONLY: 'queue_test_readonly',
  }
  await runMigrate(['outbox', 'up'], env)
  await runMigrate(['outbox', 'roles'], env)
  const publish = (topic: string, payload: unknown) =>
    database.pool.query(
      'INSERT INTO outbox.outbox_messages (id, topic, payload) VALUES (gen_random_uuid(), $1, $2)',
      [topic, JSON.stringify(payload)],
    )
  for (const [topic, payload] of Object.entries(payloads)) await publish(topic, payload)
  await publish('send_email', { not: 'an e-mail' })
  await publish('nobody_takes_this', {})
  await database.pool.query(
    `INSERT INTO outbox.outbox_messages (id, topic, payload, attempts, last_attempt, leased_by, leased_at)
     VALUES (gen_random_uuid(), 'send_email', '{}', 1, true, 'gone', now() - interval '1 minute')`,
  )
}

/** Inserts a lost worker with one job that can be retried, and one on its last attempt. */
async function insertOrphanedJobs(database: TestDatabase): Promise<void> {
  const lockedBy = await insertWorker(database, { leaseMs: -1 })
  const base = { kind: 'send_email', queue: 'test', payload: payloads.send_email, lockedBy } as const
  const ago = { createdAt: { msFromNow: -2_000 }, lockedAt: { msFromNow: -1_000 } }
  await insertJob(database, { ...base, ...ago, status: 'running' })
  await insertJob(database, { ...base, ...ago, status: 'running', attempts: 3, maxAttempts: 3 })
}

async function enqueueOverHttp(url: string): Promise<void> {
  const kinds = Object.entries(payloads)
  const job = (index: number, [kind, payload]: (typeof kinds)[number]) => ({
    kind,
    payload,
    max_attempts: (index % 2) + 1,
    retry_policy: { type: 'fixed', base_ms: 1 },
  })
  const jobs = Array.from({ length: jobsOfEachKind }, (_, index) => kinds.map((kind) => job(index, kind)))
  const scheduled = { kind: 'send_email', payload: payloads.send_email, delay_ms: 3_600_000 }
  for (const body of [...jobs.flat(), scheduled]) await post(`${url}/jobs`, body, 201)
  await post(`${url}/jobs`, { kind: 'send_email', payload: {} }, 422)
  await post(`${url}/queues/default/pause`, undefined, 200)
  await post(`${url}/queues/default/resume`, undefined, 200)
}

/** Fills a queue up to its limit, and sets a limit for a kind in it. Deletes the job, but keeps the limits. */
async function fillQueue(database: TestDatabase, url: string): Promise<void> {
  const job = { kind: 'send_email', queue: 'small', payload: payloads.send_email }
  await insertJob(database, job)
  const limits = [
    { queue: 'small', scope: 'queue', max_waiting: 1 },
    { queue: 'small', scope: 'kind', name: 'send_email', max_running: 5 },
  ]
  for (const limit of limits) await send('PUT', `${url}/limits`, limit)
  await eventually(async () => (await send('POST', `${url}/jobs/batch`, { jobs: [job] })).status === 429, {
    what: 'the refusal of an enqueue',
  })
  await database.pool.query(`DELETE FROM ${database.schema}.jobs WHERE queue = 'small'`)
}

async function send(method: string, url: string, body: unknown): Promise<Response> {
  return fetch(url, { method, headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) })
}

async function post(url: string, body: unknown, status: number): Promise<void> {
  const response = await fetch(url, {
    method: 'POST',
    ...(body === undefined
      ? {}
      : { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
  })
  if (response.status !== status) throw new Error(`${response.status}: ${await response.text()}`)
}

/** Waits until all jobs except the scheduled one have ended. Retries become due at once. */
async function untilAllHaveEnded(database: TestDatabase): Promise<void> {
  await eventually(
    async () => {
      await database.pool.query(
        `UPDATE ${database.schema}.jobs SET run_at = now() WHERE status = 'retrying' AND run_at > now()`,
      )
      const { rows } = await database.pool.query<{ left: number }>(
        `SELECT count(*)::int AS left FROM ${database.schema}.all_jobs WHERE finished_at IS NULL`,
      )
      return rows[0]?.left === 1 && (await countPendingMessages(database)) === 1
    },
    { what: 'the end of all jobs and messages' },
  )
}

/** The number of messages that are neither delivered nor dead-lettered. */
async function countPendingMessages(database: TestDatabase): Promise<number> {
  const { rows } = await database.pool.query<{ left: number }>(
    'SELECT count(*)::int AS left FROM outbox.outbox_messages WHERE delivered_at IS NULL',
  )
  return rows[0]?.left ?? Number.NaN
}

/** Waits until the metrics include all ends: a worker counts an end a moment after others can read it in the database. */
async function scrapeOnceCounted(database: TestDatabase, api: AppProcess, worker: AppProcess) {
  const { rows } = await database.pool.query<{ ended: number }>(
    `SELECT count(*)::int AS ended FROM ${endedAttempts(database.schema)} AS x WHERE worker_id LIKE 'worker-%'`,
  )
  return eventually(
    async () => {
      const samples = await scrape(worker)
      const counted = samples.filter(({ name }) => name === 'worker_jobs_completed_total')
      const ended = counted.reduce((sum, { value }) => sum + value, 0)
      const endedMessages =
        sumOf(samples, 'outbox_delivered_total') + sumOf(samples, 'outbox_dead_letters_total')
      if (ended !== rows[0]?.ended || endedMessages !== messagesThatEnd) return undefined
      // On a busy machine a scrape may come without its readings, and the relay may still be about to listen.
      const samplesOfApi = await scrape(api)
      const isRead = (of: readonly Sample[], metric: string) => of.some(({ name }) => name === metric)
      return isRead(samples, 'outbox_pending') &&
        sumOf(samples, 'outbox_listener_healthy') === 1 &&
        isRead(samplesOfApi, 'queue_jobs')
        ? { worker: samples, api: samplesOfApi }
        : undefined
    },
    { what: 'the count of all ends' },
  )
}

/** The metrics that the API exports only while no worker of a queue can run a due job. Inserts and deletes such a job. */
async function scrapeUnserved(database: TestDatabase, api: AppProcess): Promise<Sample[]> {
  const { id } = await insertJob(database, { kind: 'nobody_runs_this', runAt: { msFromNow: -120_000 } })
  const samples = await eventually(
    async () => {
      const unserved = (await scrape(api)).filter(({ name }) => name === 'queue_unserved_seconds')
      return unserved.length > 0 && unserved
    },
    { what: 'the metric of a job that no worker can run' },
  )
  await database.pool.query(`DELETE FROM ${database.schema}.jobs WHERE id = $1`, [id])
  return samples
}

async function scrape(app: AppProcess): Promise<Sample[]> {
  const response = await fetch(`${app.url}/metrics`)
  return parseExposition(await response.text())
}
