import { setTimeout as wait } from 'node:timers/promises'
import type { JsonValue } from '@queue/core'
import type { ClaimedJob } from '@queue/core/runtime'
import { abortedOutcome } from './attempt-aborted.ts'
import type { ExecutionContext } from './execution-context.ts'
import { type Executor, unknownKind } from './executor.ts'
import { failed, type Outcome, succeeded } from './outcome.ts'
import { draw, drawInteger, type SimulatedKind, simulatedKinds } from './simulated-work.ts'
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

/** Which attempt of which job. */
interface AttemptKey {
  readonly jobId: string
  /** From 1. */
  readonly attempt: number
  readonly kind: string
}

interface PlannedStep {
  readonly name: string
  readonly durationMs: number
  /** How much of the work is done when this step begins. */
  readonly percent: number
}

/** Everything that will happen in one simulated attempt, unless its signal aborts. */
interface SimulatedAttempt {
  /** The steps that are taken; a failed attempt ends with the step that failed. */
  readonly steps: readonly PlannedStep[]
  readonly end:
    | { readonly kind: 'succeeded'; readonly result: JsonValue }
    | { readonly kind: 'failed'; readonly message: string }
}

/** The result of `simulatedOutcome`. */
export type SimulatedEnd = SimulatedAttempt['end']['kind']

/**
 * How an attempt of a built-in kind ends that is neither cancelled nor timed out. A pure function of its arguments,
 * so that whoever submitted a job can compute what must become of it: `SimulatedExecutor` with the same options
 * runs the same plan. `jobId` is the id as the queue writes it. Throws `QueueError` (code `unknown_kind`) for a
 * kind outside the catalogue, and `InvalidInput` when the options are wrong.
 */
// oxlint-disable-next-line max-params -- three parts of one key, and options that few callers give
export function simulatedOutcome(
  jobId: string,
  attempt: number,
  kind: string,
  options?: SimulationOptions,
): SimulatedEnd {
  return planAttempt({ jobId, attempt, kind }, createSimulation(options)).end.kind
}

/**
 * The plan of one attempt. Its draws (see `draw`) are named by step: `<step>/duration` for every step, and
 * `fails`, `fails-at` and `result` for the attempt. Attempt 1 fails when the draw `fails` is below the kind's rate;
 * a later attempt never fails. Throws `QueueError` (code `unknown_kind`).
 */
function planAttempt(key: AttemptKey, simulation: Simulation): SimulatedAttempt {
  const work = simulation.work[knownKind(key.kind)]
  const keyOf = (step: string) => ({ jobId: key.jobId, attempt: key.attempt, step })
  const steps = work.steps.map(({ name, minMs, maxMs }, index) => ({
    name,
    durationMs: drawInteger(keyOf(`${name}/duration`), minMs, maxMs) / simulation.speed,
    percent: Math.round((100 * index) / work.steps.length),
  }))
  if (key.attempt > 1 || draw(keyOf('fails')) >= work.failureRate) {
    return { steps, end: { kind: 'succeeded', result: work.result(keyOf('result')) } }
  }
  const failsAt = drawInteger(keyOf('fails-at'), 0, steps.length - 1)
  const performed = steps.slice(0, failsAt + 1)
  return {
    steps: performed,
    end: { kind: 'failed', message: `${performed.at(-1)?.name}: ${work.complaint}` },
  }
}

function knownKind(kind: string): SimulatedKind {
  const known = simulatedKinds.find((name) => name === kind)
  if (known === undefined) throw unknownKind(kind)
  return known
}
