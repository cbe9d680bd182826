import { type CheckedRun, checkRun, describeFaults } from '../checker/check-run.ts'
import { type Counts, type RunResult, resultOf } from '../scenarios/scenario.ts'
import type { World } from './world.ts'

/** The parts of a result that the scenario adds to those of the checker. */
export interface Conclusion {
  readonly counts: (checked: CheckedRun) => Counts
  /** Faults that only this scenario can detect. */
  readonly faults?: readonly string[]
  /** Why the run proves nothing; undefined if it does. */
  readonly voidBecause: (checked: CheckedRun) => string | undefined
}

/** Checks a run whose workers have stopped. */
export async function checkFinishedRun({ database, history }: World): Promise<CheckedRun> {
  await history.close()
  return checkRun(database, history.path)
}

/** The result of a run whose workers have stopped. */
export async function conclude(world: World, conclusion: Conclusion): Promise<RunResult> {
  const checked = await checkFinishedRun(world)
  return resultOf({
    counts: { jobs: checked.jobs, ...conclusion.counts(checked) },
    faults: [...describeFaults(checked), ...(conclusion.faults ?? [])],
    voidBecause: conclusion.voidBecause(checked),
  })
}

/** Events that must happen for a run to prove anything, by name: how often they did, and how often they must. */
export type Minimums = Readonly<Record<string, { readonly count: number; readonly min: number }>>

/** Describes the events that happened too rarely; undefined if all happened often enough. `min` is rounded up. */
export function tooFewReason(minimums: Minimums): string | undefined {
  const short = Object.entries(minimums).filter(([, { count, min }]) => count < min)
  if (short.length === 0) return undefined
  return short
    .map(([name, { count, min }]) => `${name}: ${count}, at least ${Math.ceil(min)} are needed`)
    .join('; ')
}

/** The faults of workers that did not end with exit code 0 after they were told to stop. */
export function uncleanEnds(processEnds: readonly string[]): string[] {
  return processEnds.map((end) => `a worker did not stop cleanly: ${end}`)
}
