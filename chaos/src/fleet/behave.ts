import { setTimeout as wait } from 'node:timers/promises'
import type { PgClient } from '@queue/core'
import { type ExecutionContext, type HandledJob, Snooze } from '@queue/worker'
import type pg from 'pg'
import { noteEffect } from '../record/effect-log.ts'
import { type chaosJob, type Plan } from './chaos-job.ts'

type Job = HandledJob<typeof chaosJob.payload>

/** One attempt, and the direct connection with which it logs its effects. */
export interface Attempt {
  readonly job: Job
  readonly ctx: ExecutionContext<PgClient>
  readonly effectLog: pg.Pool
}

/** The handler of every job of the suite: it logs its start and its end, and returns its lease token. */
export async function runPlan(act: Attempt): Promise<{ readonly token: number }> {
  await noteOwnEffect(act, 'begun')
  await handlersByPlan[act.job.payload.plan](act)
  return { token: act.ctx.leaseToken }
}

const handlersByPlan: Readonly<Record<Plan, (act: Attempt) => Promise<void>>> = {
  succeed: async (act) => {
    await wait(act.job.payload.ms, undefined, { signal: act.ctx.signal })
    await noteOwnEffect(act, 'ended')
  },
  fail_once: async (act) => {
    await handlersByPlan.succeed(act)
    if (act.ctx.attempt === 1) throw failure(act)
  },
  fail_always: async (act) => {
    await handlersByPlan.succeed(act)
    throw failure(act)
  },
  snooze_once: async (act) => {
    if (act.ctx.leaseToken === 1) throw new Snooze(20)
    await handlersByPlan.succeed(act)
  },
  transact: async (act) => {
    await wait(act.job.payload.ms, undefined, { signal: act.ctx.signal })
    await noteOwnEffect(act, 'ended')
    await writeInTransaction(act)
  },
  abandon: async (act) => {
    await wait(act.job.payload.ms, undefined, { signal: act.ctx.signal })
    await noteOwnEffect(act, 'ended')
    const way = abandonments[act.ctx.attempt - 1]
    await (way === undefined ? writeInTransaction(act) : way(act))
  },
  transact_late: async (act) => {
    await handlersByPlan.succeed(act)
    setTimeout(() => void writeInTransaction(act).catch(() => undefined), act.job.payload.ms)
  },
  linger: async (act) => {
    await noteOwnEffect(act, 'ended')
    await wait(act.job.payload.ms)
  },
  spin: async (act) => {
    const untilMs = performance.now() + act.job.payload.ms
    while (performance.now() < untilMs) Math.sqrt(untilMs)
    await noteOwnEffect(act, 'ended')
  },
  die: async () => {
    process.kill(process.pid, 'SIGKILL')
    await new Promise(() => undefined)
  },
}

/** Writes an effect in the transaction that ends the attempt. `before` runs first in the same transaction. */
function writeInTransaction(
  { job, ctx }: Attempt,
  before: (client: PgClient) => Promise<unknown> = () => Promise.resolve(),
): Promise<{ readonly token: number }> {
  return ctx.transaction(async (client) => {
    await before(client)
    await noteEffect(client, { jobId: job.id, token: ctx.leaseToken, phase: 'transacted' })
    return { token: ctx.leaseToken }
  })
}

/** The ways in which the attempts of a job do not wait for their transaction, one for each attempt. */
const abandonments: readonly ((act: Attempt) => Promise<unknown> | void)[] = [
  // The transaction is still open when the handler ends, or was committed just before.
  (act) => {
    void writeInTransaction(act)
    return wait(act.job.payload.ms % 8)
  },
  // The transaction has not begun when the handler ends.
  (act) => void writeInTransaction(act),
  // The transaction fails, before or after the end of the handler.
  (act) => {
    void writeInTransaction(act, (client) => client.query('SELECT 1 / 0'))
    return wait(act.job.payload.ms % 8)
  },
  // The write in the transaction is not awaited.
  (act) =>
    act.ctx.transaction(async (client) => {
      // Its failure makes the transaction fail, which is handled there. It must not end the process.
      noteEffect(client, { ...leaseOf(act), phase: 'transacted' }).catch(() => undefined)
      return { token: act.ctx.leaseToken }
    }),
]

function noteOwnEffect(act: Attempt, phase: 'begun' | 'ended'): Promise<void> {
  return noteEffect(act.effectLog, { ...leaseOf(act), phase })
}

function leaseOf({ job, ctx }: Attempt) {
  return { jobId: job.id, token: ctx.leaseToken }
}

/** The checker compares the lease token in this error with the one under which the failure is recorded. */
function failure({ ctx }: Attempt): Error {
  return new Error(`lease ${ctx.leaseToken} fails as planned`)
}
