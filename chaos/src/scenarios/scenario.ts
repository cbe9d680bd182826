import type { Mutation } from '../mutants/mutation.ts'
import type { SourceDefect } from '../mutants/source-defect.ts'
import type { Random } from '../nemesis/random.ts'

/** The size of a run of a scenario. */
export interface ScenarioSize {
  /** How many jobs the clients enqueue; 0 if the scenario has no such load. */
  readonly jobs: number
  /** The number of faults or cases, as named by `counted`. */
  readonly count: number
  /** The time limit in minutes. A longer run has failed. */
  readonly minutesMax: number
}

/** One scenario of the fault suite: a law that must hold, and a run that could show that it is broken. */
export interface Scenario {
  /** Its number in the table, from 1. */
  readonly number: number
  /** Its name on the command line: `pnpm chaos <name>`. */
  readonly name: string
  /** What must hold, in a few words. */
  readonly law: string
  /** What `count` counts, for instance `kills`. */
  readonly counted: string
  readonly full: ScenarioSize
  /** The size for `pnpm test` and `--quick`. */
  readonly reduced: ScenarioSize
  run(context: ScenarioContext): Promise<RunResult>
}

/** The context in which a scenario runs. */
export interface ScenarioContext {
  /**
   * A PostgreSQL server, which others may use, too. A scenario uses only databases that it has created, and restarts only
   * servers that it has started.
   */
  readonly serverUrl: string
  readonly size: ScenarioSize
  readonly seed: number
  /** The source of every random decision, so that `--seed` repeats them. */
  readonly random: Random
  /** The folder for history files. */
  readonly directory: string
  /** Reports the progress. It may be called often: the caller prints only some of the lines. */
  readonly progress: (line: string) => void
  /** Aborts when the scenario has exceeded its time limit or is stopped. */
  readonly signal: AbortSignal
  /** A defect in the workers that the scenario must detect; usually none. */
  readonly defect?: SourceDefect | undefined
  /** A defect in the statements of this process and in the functions of the schema that the scenario must detect; usually none. */
  readonly mutation?: Mutation | undefined
}

/**
 * The result of a run. `held`: the law held. `broken`: it did not. `void`: no fault was found, but nothing happened that could
 * have caused one, so the run proves nothing and counts as a failure. `skipped`: this machine lacks something that the
 * scenario needs.
 */
export type RunResult =
  | { readonly outcome: 'held'; readonly counts: Counts }
  | { readonly outcome: 'broken'; readonly counts: Counts; readonly faults: readonly string[] }
  | { readonly outcome: 'void' | 'skipped'; readonly counts: Counts; readonly reason: string }

/** The counts of a run, in the order in which they are reported. */
export type Counts = Readonly<Record<string, number>>

/** The findings of a scenario. Faults decide first, then whether anything happened that could have caused one. */
export interface Findings {
  readonly counts: Counts
  readonly faults: readonly string[]
  /** Why the run proves nothing; undefined if it does. */
  readonly voidBecause?: string | undefined
}

export function resultOf({ counts, faults, voidBecause }: Findings): RunResult {
  if (faults.length > 0) return { outcome: 'broken', counts, faults }
  return voidBecause === undefined
    ? { outcome: 'held', counts }
    : { outcome: 'void', counts, reason: voidBecause }
}
