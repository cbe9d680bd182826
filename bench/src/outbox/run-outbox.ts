import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { migrateUp } from '@queue/core'
import { createTestDatabases, type TestDatabases } from '@queue/dev-postgres'
import { migrateOutbox } from '@queue/outbox'
import pg from 'pg'
import { median } from '../median.ts'

/** What one process of this part is to do. */
export interface OutboxOrder {
  readonly way: OutboxWay
  /** The database of the service. */
  readonly outboxUrl: string
  /** The database of the queue, another one of the same server. */
  readonly queueUrl: string
  /** Messages. */
  readonly count: number
}

export const outboxWays = ['relay', 'plain copy in SQL'] as const
export type OutboxWay = (typeof outboxWays)[number]

export interface OutboxOptions {
  readonly serverUrl: string
  readonly count: number
  readonly rounds: number
  readonly onStep: (step: string) => void
}

/** Messages per second from an outbox into a queue of another database, medians of the rounds. */
export type OutboxFigures = Readonly<Record<OutboxWay, number>>

/** Empties the same outbox by a relay and by a plain copy, in turn, each in a process and on databases of its own. */
export async function runOutbox({ serverUrl, count, rounds, onStep }: OutboxOptions): Promise<OutboxFigures> {
  const databases = createTestDatabases({
    serverUrl,
    templateKey: `outbox ${process.pid}`,
    prepareTemplate: async (connectionString) => {
      await migrateUp({ connectionString })
      await migrateOutbox({ connectionString })
    },
  })
  const results = new Map<OutboxWay, number[]>(outboxWays.map((way) => [way, []]))
  try {
    for (let round = 1; round <= rounds; round += 1) {
      for (const way of outboxWays) {
        onStep(`outbox, round ${round} of ${rounds}: ${way}`)
        results.get(way)?.push(await measureWay(databases, way, count))
      }
    }
  } finally {
    await databases.dropAll()
  }
  return Object.fromEntries([...results].map(([way, figures]) => [way, median(figures)])) as OutboxFigures
}

const script = fileURLToPath(new URL('./relay-process.ts', import.meta.url))

async function measureWay(databases: TestDatabases, way: OutboxWay, count: number): Promise<number> {
  const outbox = await databases.create()
  const queue = await databases.create()
  try {
    await publish(outbox.url, count)
    const order: OutboxOrder = { way, outboxUrl: outbox.url, queueUrl: queue.url, count }
    const { stdout } = await promisify(execFile)(process.execPath, [
      ...process.execArgv,
      script,
      JSON.stringify(order),
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

/** How many times as fast the relay is. */
export function outboxRatios(figures: OutboxFigures): Readonly<Record<string, number>> {
  return { 'outbox relay vs plain copy in SQL': figures.relay / figures['plain copy in SQL'] }
}

/** The figures and their ratio as lines. */
export function renderOutbox(figures: OutboxFigures): string {
  const lines = outboxWays.map((way) => `  ${way.padEnd(18)}${Math.round(figures[way])} messages/s`)
  const ratios = Object.entries(outboxRatios(figures)).map(
    ([name, ratio]) => `  ${name}: ${ratio.toFixed(2)}×`,
  )
  return `${['outbox', ...lines, ...ratios].join('\n')}\n`
}
