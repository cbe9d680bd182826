import { setTimeout as wait } from 'node:timers/promises'
import type { PgClient } from '@queue/core'
import { type ExecutionContext, type HandledJob, Snooze } from '@queue/worker'
import type pg from 'pg'
import { noteEffect } from '../record/effect-log.ts'
import { type chaosJob, type Plan } from './chaos-job.ts'

type Job = HandledJob<typeof chaosJob.payload>

/** One attempt, with the direct connection over which its effects are noted. */
export interface Act {
  readonly job: Job
  readonly ctx: ExecutionContext<PgClient>
  readonly effectLog: pg.Pool
}

/** The work of every job of the suite: it notes its beginning and its end, and says whose end it was. */
export async function behave(act: Act): Promise<{ readonly token: number }> {
  await note(act, 'begun')
  await acts[act.job.payload.plan](act)
  return { token: act.ctx.leaseToken }
}

const acts: Readonly<Record<Plan, (act: Act) => Promise<void>>> = {
  succeed: async (act) => {
    await wait(act.job.payload.ms, undefined, { signal: act.ctx.signal })
    await note(act, 'ended')
  },
  fail_once: async (act) => {
    await acts.succeed(act)
    if (act.ctx.attempt === 1) throw failure(act)
  },
  fail_always: async (act) => {
    await acts.succeed(act)
    throw failure(act)
  },
  snooze_once: async (act) => {
    if (act.ctx.leaseToken === 1) throw new Snooze(20)
    await acts.succeed(act)
  },
  transact: async (act) => {
    await wait(act.job.payload.ms, undefined, { signal: act.ctx.signal })
    await note(act, 'ended')
    await writeInTransaction(act)
  },
  abandon: async (act) => {
    await wait(act.job.payload.ms, undefined, { signal: act.ctx.signal })
    await note(act, 'ended')
    const way = waysToAbandon[act.ctx.attempt - 1]
    await (way === undefined ? writeInTransaction(act) : way(act))
  },
  transact_late: async (act) => {
    await acts.succeed(act)
    setTimeout(() => void writeInTransaction(act).catch(() => undefined), act.job.payload.ms)
  },
  linger: async (act) => {
    await note(act, 'ended')
    await wait(act.job.payload.ms)
  },
  spin: async (act) => {
    const untilMs = performance.now() + act.job.payload.ms
    while (performance.now() < untilMs) Math.sqrt(untilMs)
    await note(act, 'ended')
  },
  die: async () => {
    process.kill(process.pid, 'SIGKILL')
    await new Promise(() => undefined)
  },
}

/** What a handler writes together with the end of its attempt. `before` comes first, in the same transaction. */
function writeInTransaction(
  { job, ctx }: Act,
  before: (client: PgClient) => Promise<unknown> = () => Promise.resolve(),
): Promise<{ readonly token: number }> {
  return ctx.transaction(async (client) => {
    await before(client)
    await noteEffect(client, { jobId: job.id, token: ctx.leaseToken, phase: 'transacted' })
    return { token: ctx.leaseToken }
  })
}

/** How the attempts of a job leave their transaction to itself, one after the other. */
const waysToAbandon: readonly ((act: Act) => Promise<unknown> | void)[] = [
  // It is open when the handler ends, or has been committed by then.
  (act) => {
    void writeInTransaction(act)
    return wait(act.job.payload.ms % 8)
  },
  // It has not begun when the handler ends.
  (act) => void writeInTransaction(act),
  // It fails, before or after the end of the handler.
  (act) => {
    void writeInTransaction(act, (client) => client.query('SELECT 1 / 0'))
    return wait(act.job.payload.ms % 8)
  },
  // What is written in it is not waited for.
  (act) =>
    act.ctx.transaction(async (client) => {
      // Its failure is that of the transaction: nobody else has to hear of it, and the process must not end by it.
      noteEffect(client, { ...leaseOf(act), phase: 'transacted' }).catch(() => undefined)
      return { token: act.ctx.leaseToken }
    }),
]

function note(act: Act, phase: 'begun' | 'ended'): Promise<void> {
  return noteEffect(act.effectLog, { ...leaseOf(act), phase })
}

function leaseOf({ job, ctx }: Act) {
  return { jobId: job.id, token: ctx.leaseToken }
}

/** The checker compares the lease that it names with the one under which it is recorded. */
function failure({ ctx }: Act): Error {
  return new Error(`lease ${ctx.leaseToken} fails as planned`)
}
