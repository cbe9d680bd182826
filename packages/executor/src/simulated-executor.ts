import { setTimeout as wait } from 'node:timers/promises'
import type { JsonValue } from '@queue/core'
import type { ClaimedJob } from '@queue/core/internal'
import { abortedOutcome } from './attempt-aborted.ts'
import type { ExecutionContext } from './execution-context.ts'
import { type Executor, unknownKind } from './executor.ts'
import { failed, type Outcome, succeeded } from './outcome.ts'
import { draw, drawInteger, type SimulatedKind, simulatedKinds } from './simulated-work.ts'
import { createSimulation, type Simulation, type SimulationOptions } from './simulation-options.ts'

/** The error of an attempt that the simulation made fail. */
export class SimulatedFailure extends Error {
  override readonly name = 'SimulatedFailure'
}

/**
 * Deterministic fake work for the built-in kinds: for demonstrations, for load, and for tests that must know how every job ends
 * (`simulatedOutcome`). It only waits and draws numbers, and has no effects outside.
 */
export class SimulatedExecutor implements Executor {
  readonly kinds: readonly string[] = simulatedKinds
  readonly #simulation: Simulation

  /** Throws `InvalidInput` (code `invalid_options`) with every issue if the options are invalid. */
  constructor(options?: SimulationOptions) {
    this.#simulation = createSimulation(options)
  }

  async execute(ctx: ExecutionContext, job: ClaimedJob): Promise<Outcome> {
    try {
      const plan = planAttempt({ jobId: job.id, attempt: ctx.attempt, kind: job.kind }, this.#simulation)
      return await runSteps(plan, ctx)
    } catch (error) {
      return failed(error)
    }
  }
}

/** An abort rejects the wait; the check after the wait ends the attempt. */
const stopWaiting = (): void => undefined

/** Runs the steps one after the other, and checks the signal before and after each. */
async function runSteps({ steps, end }: SimulatedAttempt, ctx: ExecutionContext): Promise<Outcome> {
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

/** Identifies one attempt of a job. */
interface AttemptKey {
  readonly jobId: string
  /** From 1. */
  readonly attempt: number
  readonly kind: string
}

interface PlannedStep {
  readonly name: string
  readonly durationMs: number
  /** The progress at the beginning of this step. */
  readonly percent: number
}

/** Everything that will happen in one simulated attempt, unless its signal aborts. */
interface SimulatedAttempt {
  /** The steps that run; a failed attempt ends with the step that failed. */
  readonly steps: readonly PlannedStep[]
  readonly end:
    | { readonly kind: 'succeeded'; readonly result: JsonValue }
    | { readonly kind: 'failed'; readonly message: string }
}

/** The result of `simulatedOutcome`. */
export type SimulatedEnd = SimulatedAttempt['end']['kind']

/**
 * How an attempt of a built-in kind ends if it is neither cancelled nor timed out. It is a pure function of its arguments, so
 * that a caller can predict the end of each job: `SimulatedExecutor` with the same options runs the same plan. `jobId` is the id
 * as the queue writes it. Throws `QueueError` (code `unknown_kind`) for a kind outside the catalogue, and `InvalidInput` if the
 * options are invalid.
 */
// oxlint-disable-next-line max-params -- three parts of one key, and options that few callers pass
export function simulatedOutcome(
  jobId: string,
  attempt: number,
  kind: string,
  options?: SimulationOptions,
): SimulatedEnd {
  return planAttempt({ jobId, attempt, kind }, createSimulation(options)).end.kind
}

/**
 * The plan of one attempt. Its draws (see `draw`) are named `<step>/duration` for every step, and `fails`, `fails-at` and
 * `result` for the attempt. Attempt 1 fails if the draw `fails` is below the kind's failure rate; a later attempt never fails.
 * Throws `QueueError` (code `unknown_kind`).
 */
function planAttempt(key: AttemptKey, simulation: Simulation): SimulatedAttempt {
  const work = simulation.work[checkedKind(key.kind)]
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
  const stepsRun = steps.slice(0, failsAt + 1)
  return {
    steps: stepsRun,
    end: { kind: 'failed', message: `${stepsRun.at(-1)?.name}: ${work.failureMessage}` },
  }
}

function checkedKind(kind: string): SimulatedKind {
  const simulatedKind = simulatedKinds.find((name) => name === kind)
  if (simulatedKind === undefined) throw unknownKind(kind)
  return simulatedKind
}
