import { setTimeout as sleep } from 'node:timers/promises'
import { eventually, insertJob, type JobOverrides } from '@queue/testing'
import pg from 'pg'
import type { GameDay } from './game-day.ts'

/** What the handlers of a simulated worker take. */
export const email = { to: 'a@example.org', subject: 'Hello', body: 'Hello.' }

/** A worker that is known to be lost within seconds. */
export const shortLease = { WORKER_LEASE_MS: '3000', WORKER_HEARTBEAT_MS: '1000' }

export function misbehaving(day: GameDay, env: Readonly<Record<string, string>> = {}) {
  return day.start('misbehaving worker', { WORKER_QUEUES: 'misbehaving', ...env })
}

export function misbehaviour(
  payload: Record<string, string | number>,
  more: JobOverrides = {},
): JobOverrides {
  return { queue: 'misbehaving', kind: 'misbehave', payload, ...more }
}

/** Jobs whose payload does not parse: each fails for good, at its first attempt. */
export async function failing(day: GameDay, count: number): Promise<void> {
  for (let made = 0; made < count; made += 1)
    await insertJob(day.database, misbehaviour({ act: 'unheard of' }))
}

export async function publish(day: GameDay, payload: object): Promise<void> {
  await day.database.pool.query(
    `INSERT INTO outbox.outbox_messages (id, topic, payload) VALUES (gen_random_uuid(), 'send_email', $1)`,
    [JSON.stringify(payload)],
  )
}

/** A session of an administrator that has done so much, and idles. */
export async function session(day: GameDay, statements: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: day.database.directUrl })
  client.on('error', () => undefined)
  await client.connect()
  await client.query(statements)
  return client
}

export async function ended(day: GameDay, id: string): Promise<void> {
  await eventually(
    async () => {
      const job = await day.database.queue.get(id)
      return job === undefined || ['succeeded', 'failed_permanent', 'cancelled'].includes(job.status)
    },
    { what: `that job ${id} has ended`, deadlineMs: 40_000 },
  )
}

export async function ask(day: GameDay, method: string, page: string): Promise<void> {
  const response = await fetch(`${day.api().url}${page}`, { method })
  if (!response.ok) throw new Error(`${method} ${page}: ${response.status} ${await response.text()}`)
}

/** What the runbook says of dead letters that should not run. */
export async function deleteDeadLetters(day: GameDay): Promise<void> {
  for (;;) {
    const { deadLetters } = await day.database.queue.deadLetters.list()
    if (deadLetters.length === 0) return
    for (const { id } of deadLetters) await ask(day, 'DELETE', `/dead-letters/${id}`)
  }
}

/** Does it again and again, each time once the last one has ended. */
export function repeat(everyMs: number, act: () => Promise<unknown>): () => Promise<void> {
  let stopped = false
  const run = async (): Promise<void> => {
    while (!stopped) {
      await act().catch(() => undefined)
      await sleep(everyMs)
    }
  }
  const running = run()
  return async () => {
    stopped = true
    await running
  }
}

/** The value of an expression that gives one sample; undefined where it gives none. */
export async function value(day: GameDay, expr: string): Promise<number | undefined> {
  const answer = await day.prometheus.ask<{ result: { value: [number, string] }[] }>(
    `query?query=${encodeURIComponent(expr)}`,
  )
  const [sample] = answer.result
  return sample === undefined ? undefined : Number(sample.value[1])
}

export async function scraped(day: GameDay, url: string): Promise<boolean> {
  return (await value(day, `up{instance="${new URL(url).host}"}`)) === 1
}

export async function isFiring(day: GameDay, alert: string): Promise<boolean> {
  return (await value(day, `ALERTS{alertname="${alert}",alertstate="firing"}`)) === 1
}

export function firing(day: GameDay, alert: string): Promise<unknown> {
  return eventually(() => isFiring(day, alert), {
    what: `that ${alert} fires`,
    deadlineMs: 90_000,
    intervalMs: 200,
  })
}
