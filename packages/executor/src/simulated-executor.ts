import { setTimeout as wait } from 'node:timers/promises'
import type { ClaimedJob } from '@queue/core/runtime'
import { abortedOutcome } from './attempt-aborted.ts'
import type { ExecutionContext } from './execution-context.ts'
import type { Executor } from './executor.ts'
import { failed, type Outcome, succeeded } from './outcome.ts'
import { planAttempt, type SimulatedAttempt } from './simulated-attempt.ts'
import { simulatedKinds } from './simulated-work.ts'
import { createSimulation, type Simulation, type SimulationOptions } from './simulation-options.ts'

/** An attempt that failed because the simulation said so. */
export class SimulatedFailure extends Error {
  override readonly name = 'SimulatedFailure'
}

/**
 * Deterministic fake work for the built-in kinds: for demonstrations, for load, and for tests that must know how
 * every job ends (`simulatedOutcome`). It waits and draws, and touches nothing outside.
 */
export class SimulatedExecutor implements Executor {
  readonly kinds: readonly string[] = simulatedKinds
  readonly #simulation: Simulation

  /** Throws `InvalidInput` (code `invalid_options`) with every issue when the options are wrong. */
  constructor(options?: SimulationOptions) {
    this.#simulation = createSimulation(options)
  }

  async execute(ctx: ExecutionContext, job: ClaimedJob): Promise<Outcome> {
    try {
      const plan = planAttempt({ jobId: job.id, attempt: ctx.attempt, kind: job.kind }, this.#simulation)
      return await walk(plan, ctx)
    } catch (error) {
      return failed(error)
    }
  }
}

/** An abort ends the wait; the check that follows it ends the attempt. */
const stopWaiting = (): void => undefined

/** Takes the steps one after the other, with a check of the signal before and after each. */
async function walk({ steps, end }: SimulatedAttempt, ctx: ExecutionContext): Promise<Outcome> {
  if (ctx.signal.aborted) return abortedOutcome(ctx.signal)
  for (const step of steps) {
    ctx.progress(step.percent, step.name)
    await wait(step.durationMs, undefined, { signal: ctx.signal }).catch(stopWaiting)
    if (ctx.signal.aborted) return abortedOutcome(ctx.signal)
  }
  if (end.kind === 'failed') return failed(new SimulatedFailure(end.message))
  ctx.progress(100)
  return succeeded(end.result)
}
