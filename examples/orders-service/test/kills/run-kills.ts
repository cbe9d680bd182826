import { setTimeout as sleep } from 'node:timers/promises'
import { createClient } from '@queue/client'
import { createOutbox } from '@queue/outbox'
import { eventually } from '@queue/testing'
import pg from 'pg'
import { migrateOrders, openOrders } from '../../src/orders-database.ts'
import { creditLimitCents, placeOrder } from '../../src/place-order.ts'
import { type RunningProcess, startRelay } from '../../src/processes.ts'

export interface KillRun {
  readonly ordersUrl: string
  readonly apiUrl: string
  readonly transactions: number
  readonly kills: number
  /** A uniform draw from [0, 1). */
  readonly random: () => number
  /** Node options with which relays are started. */
  readonly execArgv: readonly string[]
}

/** The result of a run. The first four lists are empty if each committed order has one job, in order. */
export interface KillReport {
  /** Orders that were committed and have no job. */
  readonly lost: string[]
  /** Jobs of orders that were not committed. */
  readonly unexpected: string[]
  /** Orders with more than one job. */
  readonly doubled: string[]
  /** Customers whose jobs are not in the order of their orders. */
  readonly disordered: string[]
  readonly committed: number
  readonly jobs: number
  /** The number of messages that relays held when they were killed, over all kills. */
  readonly heldAtKills: number
  /** The number of dispatches after the first of a message. */
  readonly repeated: number
}

const customers = 100
const writers = 4
/** Short, so that the leases of a killed relay expire within seconds: a lease is twice this time and a margin. */
const dispatchTimeoutMs = 500
/** The maximum time per order from the last order to the last delivery. The backlog of the relays grows with the run. */
const drainedMsMaxPerOrder = 500

/**
 * Places orders, half of which are rolled back after their message was written, while relays are killed with SIGKILL and started
 * again. Then the relays deliver the remaining messages, and the jobs are compared with the orders.
 */
export async function runKills(run: KillRun): Promise<KillReport> {
  const pool = new pg.Pool({ connectionString: run.ordersUrl, max: writers + 4 })
  const database = openOrders(pool)
  const outbox = createOutbox({ pool })
  await migrateOrders(database, run.ordersUrl)
  const start = (): Promise<RunningProcess> =>
    startRelay({
      ...run,
      env: { RELAY_DISPATCH_TIMEOUT_MS: String(dispatchTimeoutMs), RELAY_MAX_ATTEMPTS: '100' },
    })
  const relays = await Promise.all([start(), start()])
  try {
    let next = 0
    const placeOrders = async (): Promise<void> => {
      for (let n = next++; n < run.transactions; n = next++) {
        const totalCents = run.random() < 0.5 ? creditLimitCents + 1 : 1 + (n % 5_000)
        const customer = `c${Math.floor(run.random() * customers)}`
        await placeOrder(database, outbox, { id: `o_${n}`, customer, totalCents }).catch(ignoreRefusal)
      }
    }
    const placing = Promise.all(Array.from({ length: writers }, placeOrders))
    let heldAtKills = 0
    for (let kill = 0; kill < run.kills; kill += 1) {
      const index = run.random() < 0.5 ? 0 : 1
      const victim = relays[index]
      await untilBusy(pool, victim.pid, () => next < run.transactions)
      await sleep(run.random() * 20)
      await victim.kill('SIGKILL')
      heldAtKills += await heldBy(pool, victim.pid)
      relays[index] = await start()
    }
    await placing
    await eventually(async () => (await outbox.stats()).pending === 0, {
      deadlineMs: run.transactions * drainedMsMaxPerOrder,
      intervalMs: 100,
      what: 'the delivery of all messages',
    })
    return { ...(await compare(run, pool)), heldAtKills }
  } finally {
    await Promise.all(relays.map((relay) => relay.kill('SIGKILL')))
    await database.destroy()
  }
}

function ignoreRefusal(error: unknown): void {
  if (!(error instanceof Error) || !error.message.includes('credit limit')) throw error
}

/** Waits until the relay holds messages, so that it is killed while it works, or until no messages remain. */
async function untilBusy(pool: pg.Pool, pid: number, mayGetMessages: () => boolean): Promise<void> {
  while ((await heldBy(pool, pid)) === 0) {
    const { rows } = await pool.query('SELECT FROM outbox.outbox_messages WHERE delivered_at IS NULL LIMIT 1')
    if (rows.length === 0 && !mayGetMessages()) return
    await sleep(2)
  }
}

/** The number of messages that a relay holds. Its process id is part of the name in `leased_by`. */
async function heldBy(pool: pg.Pool, pid: number): Promise<number> {
  const { rows } = await pool.query<{ held: number }>(
    `SELECT count(*)::int AS held FROM outbox.outbox_messages WHERE leased_by LIKE $1`,
    [`%-${pid}-%`],
  )
  return rows[0]?.held ?? 0
}

async function compare(run: KillRun, pool: pg.Pool): Promise<Omit<KillReport, 'heldAtKills'>> {
  const { rows: orders } = await pool.query<{ id: string; customer: string; number: number }>(
    'SELECT id, customer, number FROM orders',
  )
  const jobsOf = new Map<string, string[]>()
  for await (const job of createClient({ baseUrl: run.apiUrl }).jobs({ limit: 200 })) {
    const { subject } = job.payload as { readonly subject: string }
    const order = subject.replace('Order ', '')
    jobsOf.set(order, [...(jobsOf.get(order) ?? []), job.id])
  }
  const committedIds = new Set(orders.map((order) => order.id))
  const hasWrongOrder = (customer: string): boolean => {
    const sortedOrders = orders
      .filter((order) => order.customer === customer)
      .sort((a, b) => a.number - b.number)
    // Ids of jobs increase in the order of their creation.
    const ids = sortedOrders.flatMap((order) => jobsOf.get(order.id) ?? [])
    return ids.some((id, index) => index > 0 && id < (ids[index - 1] ?? ''))
  }
  const { rows } = await pool.query<{ repeated: number }>(
    `SELECT coalesce(sum(attempts - 1), 0)::int AS repeated FROM outbox.outbox_messages`,
  )
  return {
    lost: orders.filter((order) => !jobsOf.has(order.id)).map((order) => order.id),
    unexpected: [...jobsOf.keys()].filter((order) => !committedIds.has(order)),
    doubled: [...jobsOf].filter(([, ids]) => ids.length > 1).map(([order]) => order),
    disordered: [...new Set(orders.map((order) => order.customer))].filter(hasWrongOrder),
    committed: orders.length,
    jobs: [...jobsOf.values()].flat().length,
    repeated: rows[0]?.repeated ?? 0,
  }
}
