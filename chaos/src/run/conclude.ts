import { type CheckedRun, checkRun, describeFaults } from '../checker/check-run.ts'
import { type Counts, type Verdict, verdictOf } from '../scenarios/scenario.ts'
import type { World } from './world.ts'

/** What a scenario adds to what the checker has found. */
export interface Conclusion {
  readonly counts: (checked: CheckedRun) => Counts
  /** Faults that only this scenario can see. */
  readonly faults?: readonly string[]
  /** Why the run proves nothing; undefined when it does. */
  readonly voidBecause: (checked: CheckedRun) => string | undefined
}

/** Checks a run whose workers have stopped. */
export async function concluded({ database, history }: World): Promise<CheckedRun> {
  await history.close()
  return checkRun(database, history.path)
}

/** The verdict on a run whose workers have stopped. */
export async function conclude(world: World, conclusion: Conclusion): Promise<Verdict> {
  const checked = await concluded(world)
  return verdictOf({
    counts: { jobs: checked.jobs, ...conclusion.counts(checked) },
    faults: [...describeFaults(checked), ...(conclusion.faults ?? [])],
    voidBecause: conclusion.voidBecause(checked),
  })
}

/** What has to have happened, by name: how often it did, and how often it must have. */
export type Needs = Readonly<Record<string, { readonly seen: number; readonly min: number }>>

/** What happened too seldom for the run to prove anything; undefined when nothing did. `min` is rounded up. */
export function tooSeldom(needs: Needs): string | undefined {
  const short = Object.entries(needs).filter(([, { seen, min }]) => seen < min)
  if (short.length === 0) return undefined
  return short
    .map(([what, { seen, min }]) => `${what}: ${seen}, at least ${Math.ceil(min)} are needed`)
    .join('; ')
}

/** The faults of workers that did not end with exit code 0 when they were told to stop. */
export function uncleanEnds(ends: readonly string[]): string[] {
  return ends.map((end) => `a worker did not stop cleanly: ${end}`)
}
