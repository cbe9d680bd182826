import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { migrateUp } from '@queue/core'
import { createTestDatabases, type TestDatabases } from '@queue/dev-postgres'
import { migrateOutbox } from '@queue/outbox'
import pg from 'pg'
import { median } from '../median.ts'

/** The configuration of a process of this part. */
export interface DeliveryConfig {
  readonly method: OutboxMethod
  /** The database of the service. */
  readonly outboxUrl: string
  /** The database of the queue, which is another one on the same server. */
  readonly queueUrl: string
  /** The number of messages. */
  readonly count: number
}

export const outboxMethods = ['relay', 'plain copy in SQL'] as const
export type OutboxMethod = (typeof outboxMethods)[number]

export interface OutboxOptions {
  readonly serverUrl: string
  readonly count: number
  readonly rounds: number
  readonly onStep: (step: string) => void
}

/** Messages per second from an outbox into a queue in another database: medians of the rounds. */
export type OutboxFigures = Readonly<Record<OutboxMethod, number>>

/** Empties the same outbox with a relay and with a plain copy by turns, each in its own process and databases. */
export async function runOutbox({ serverUrl, count, rounds, onStep }: OutboxOptions): Promise<OutboxFigures> {
  const databases = createTestDatabases({
    serverUrl,
    templateKey: `outbox ${process.pid}`,
    prepareTemplate: async (connectionString) => {
      await migrateUp({ connectionString })
      await migrateOutbox({ connectionString })
    },
  })
  const results = new Map<OutboxMethod, number[]>(outboxMethods.map((method) => [method, []]))
  try {
    for (let round = 1; round <= rounds; round += 1) {
      for (const method of outboxMethods) {
        onStep(`outbox, round ${round} of ${rounds}: ${method}`)
        results.get(method)?.push(await measureMethod(databases, method, count))
      }
    }
  } finally {
    await databases.dropAll()
  }
  return Object.fromEntries(
    [...results].map(([method, figures]) => [method, median(figures)]),
  ) as OutboxFigures
}

const script = fileURLToPath(new URL('./relay-process.ts', import.meta.url))

async function measureMethod(databases: TestDatabases, method: OutboxMethod, count: number): Promise<number> {
  const outbox = await databases.create()
  const queue = await databases.create()
  try {
    await publish(outbox.url, count)
    const config: DeliveryConfig = { method, outboxUrl: outbox.url, queueUrl: queue.url, count }
    const { stdout } = await promisify(execFile)(process.execPath, [
      ...process.execArgv,
      script,
      JSON.stringify(config),
    ])
    return JSON.parse(stdout) as number
  } finally {
    await outbox.drop()
    await queue.drop()
  }
}

async function publish(url: string, count: number): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  await client.query(
    `INSERT INTO outbox.outbox_messages (id, topic, payload)
     SELECT ('01900000-0000-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid, 'bench', jsonb_build_object('n', n)
       FROM generate_series(1, $1::int) AS n`,
    [count],
  )
  await client.query('VACUUM ANALYZE outbox.outbox_messages')
  await client.end()
}

/** The rate of the relay relative to the plain copy. */
export function outboxRatios(figures: OutboxFigures): Readonly<Record<string, number>> {
  return { 'outbox relay vs plain copy in SQL': figures.relay / figures['plain copy in SQL'] }
}

/** Renders the figures and their ratio as text. */
export function renderOutbox(figures: OutboxFigures): string {
  const lines = outboxMethods.map(
    (method) => `  ${method.padEnd(18)}${Math.round(figures[method])} messages/s`,
  )
  const ratios = Object.entries(outboxRatios(figures)).map(
    ([name, ratio]) => `  ${name}: ${ratio.toFixed(2)}×`,
  )
  return `${['outbox', ...lines, ...ratios].join('\n')}\n`
}
