import { setTimeout as sleep } from 'node:timers/promises'
import { eventually, insertJob, type JobOverrides } from '@queue/testing'
import pg from 'pg'
import type { GameDay } from './game-day.ts'

/** A payload that the simulated handlers accept. */
export const email = { to: 'a@example.org', subject: 'Hello', body: 'Hello.' }

/** A job that the simulated handlers complete. */
export const emailJob = { kind: 'send_email', payload: email }

/** Inserts a schedule that is due in two seconds. Its jobs are not valid. */
export async function insertSchedule(day: GameDay, name: string): Promise<void> {
  await day.database.pool.query(
    `INSERT INTO queue.schedules (name, kind, payload, options, every_ms, next_run_at, due_at)
     VALUES ($1, 'send_email', '{}', '{}', 3600000, now() + interval '2 s', now() + interval '2 s')`,
    [name],
  )
}

/** Settings of a worker whose loss is detected within seconds. */
export const shortLease = { WORKER_LEASE_MS: '3000', WORKER_HEARTBEAT_MS: '1000' }

/** Starts a worker whose handlers misbehave as the payloads of their jobs say. */
export function startMisbehavingWorker(day: GameDay, env: Readonly<Record<string, string>> = {}) {
  return day.start('misbehaving worker', { WORKER_QUEUES: 'misbehaving', ...env })
}

/** A job for that worker. `payload.act` selects the misbehaviour. */
export function misbehavingJob(
  payload: Record<string, string | number>,
  overrides: JobOverrides = {},
): JobOverrides {
  return { queue: 'misbehaving', kind: 'misbehave', payload, ...overrides }
}

/** Inserts jobs with an invalid payload: each is dead-lettered at its first attempt. */
export async function insertFailingJobs(day: GameDay, count: number): Promise<void> {
  for (let inserted = 0; inserted < count; inserted += 1)
    await insertJob(day.database, misbehavingJob({ act: 'unheard of' }))
}

/** Publishes one message of the topic `send_email` to the outbox. */
export async function publish(day: GameDay, payload: object): Promise<void> {
  await day.database.pool.query(
    `INSERT INTO outbox.outbox_messages (id, topic, payload) VALUES (gen_random_uuid(), 'send_email', $1)`,
    [JSON.stringify(payload)],
  )
}

/** Opens a session as an administrator, runs the statements, and leaves the session idle. */
export async function openSession(day: GameDay, statements: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: day.database.directUrl })
  client.on('error', () => undefined)
  await client.connect()
  await client.query(statements)
  return client
}

/** Waits until the job has ended or no longer exists. */
export async function untilEnded(day: GameDay, id: string): Promise<void> {
  await eventually(
    async () => {
      const job = await day.database.queue.get(id)
      return job === undefined || ['succeeded', 'failed_permanent', 'cancelled'].includes(job.status)
    },
    { what: `the end of job ${id}`, deadlineMs: 40_000 },
  )
}

/** Sends a request to the API. Throws if the response is an error. */
export async function requestApi(day: GameDay, method: string, path: string): Promise<void> {
  const response = await fetch(`${day.api().url}${path}`, { method })
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`)
}

/** Deletes all dead letters, as the runbook says for jobs that should not run again. */
export async function deleteDeadLetters(day: GameDay): Promise<void> {
  for (;;) {
    const { deadLetters } = await day.database.queue.deadLetters.list()
    if (deadLetters.length === 0) return
    for (const { id } of deadLetters) await requestApi(day, 'DELETE', `/dead-letters/${id}`)
  }
}

/** Repeats `act`, with a pause after each run. Returns a function that stops the repetition and waits for the last run. */
export function repeat(pauseMs: number, act: () => Promise<unknown>): () => Promise<void> {
  let stopped = false
  const run = async (): Promise<void> => {
    while (!stopped) {
      await act().catch(() => undefined)
      await sleep(pauseMs)
    }
  }
  const running = run()
  return async () => {
    stopped = true
    await running
  }
}

/** The value of an expression with one sample; undefined if it has none. */
export async function queryValue(day: GameDay, expr: string): Promise<number | undefined> {
  const { result } = await day.prometheus.get<{ result: { value: [number, string] }[] }>(
    `query?query=${encodeURIComponent(expr)}`,
  )
  const [sample] = result
  return sample === undefined ? undefined : Number(sample.value[1])
}

export async function isScraped(day: GameDay, url: string): Promise<boolean> {
  return (await queryValue(day, `up{instance="${new URL(url).host}"}`)) === 1
}

export async function isFiring(day: GameDay, alert: string): Promise<boolean> {
  return (await queryValue(day, `ALERTS{alertname="${alert}",alertstate="firing"}`)) === 1
}

/** Waits until the alert fires. */
export function untilFiring(day: GameDay, alert: string): Promise<unknown> {
  return eventually(() => isFiring(day, alert), {
    what: `the alert ${alert}`,
    deadlineMs: 90_000,
    intervalMs: 200,
  })
}
