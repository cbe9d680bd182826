import type { JsonValue } from '@queue/core'
import { draw, drawInteger } from './draw.ts'
import { createSimulation, type Simulation, type SimulationOptions } from './simulation-options.ts'
import { type SimulatedKind, simulatedKinds } from './simulated-work.ts'
import { unknownKind } from './executor.ts'

/** Which attempt of which job. */
export interface AttemptKey {
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
export interface SimulatedAttempt {
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
export function planAttempt(key: AttemptKey, simulation: Simulation): SimulatedAttempt {
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
