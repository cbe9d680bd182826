import { setTimeout as wait } from 'node:timers/promises'
import type { PgClient } from '@queue/core'
import { type ExecutionContext, type HandledJob, Snooze } from '@queue/worker'
import type pg from 'pg'
import { noteEffect } from '../record/ledger.ts'
import { type chaosJob, type Plan } from './chaos-job.ts'

type Job = HandledJob<typeof chaosJob.payload>

/** One attempt, with the direct connection over which its effects are noted. */
export interface Act {
  readonly job: Job
  readonly ctx: ExecutionContext<PgClient>
  readonly ledger: pg.Pool
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
    await act.ctx.transaction(async (client) => {
      await noteEffect(client, { ...leaseOf(act), phase: 'transacted' })
      return { token: act.ctx.leaseToken }
    })
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

function note(act: Act, phase: 'begun' | 'ended'): Promise<void> {
  return noteEffect(act.ledger, { ...leaseOf(act), phase })
}

function leaseOf({ job, ctx }: Act) {
  return { jobId: job.id, token: ctx.leaseToken }
}

/** The checker compares the lease that it names with the one under which it is recorded. */
function failure({ ctx }: Act): Error {
  return new Error(`lease ${ctx.leaseToken} fails as planned`)
}
