import type { SourceDefect } from '../mutants/source-defect.ts'
import type { Random } from '../nemesis/random.ts'

/** How much of a scenario is run. */
export interface ScenarioSize {
  /** Jobs that the clients enqueue; 0 where the scenario has no load of that kind. */
  readonly jobs: number
  /** Faults or cases: what `counted` names. */
  readonly count: number
  /** The scenario has failed when it is not done by then. */
  readonly minutesMax: number
}

/** One line of the fault suite: a law, and a run that could show it broken. */
export interface Scenario {
  /** Its place in the table, from 1. */
  readonly number: number
  /** What the command line calls it: `pnpm chaos <name>`. */
  readonly name: string
  /** What must hold, in a few words. */
  readonly law: string
  /** What `count` counts, for instance `kills`. */
  readonly counted: string
  readonly full: ScenarioSize
  /** What `pnpm test` and `--quick` run. */
  readonly reduced: ScenarioSize
  run(context: ScenarioContext): Promise<Verdict>
}

/** What a scenario is given to run in. */
export interface ScenarioContext {
  /**
   * A PostgreSQL server. Others may use it too: a scenario keeps to databases that it makes, and restarts only its own.
   */
  readonly serverUrl: string
  readonly size: ScenarioSize
  readonly seed: number
  /** Every decision is drawn from here, so that `--seed` replays it. */
  readonly random: Random
  /** Where the history files go. */
  readonly directory: string
  /** Tells how far the scenario is, at whatever rate; the runner thins it out. */
  readonly progress: (line: string) => void
  /** Aborts when the scenario has taken too long, or was told to end. */
  readonly signal: AbortSignal
  /** What the workers have planted in them, for a scenario that is to find it out; as a rule nothing. */
  readonly defect?: SourceDefect | undefined
}

/**
 * How a run has ended. `void`: nothing was broken, and nothing happened that could have broken it either, which is no
 * proof: it counts as a failure. `skipped`: this machine lacks what the scenario needs.
 */
export type Verdict =
  | { readonly outcome: 'held'; readonly counts: Counts }
  | { readonly outcome: 'broken'; readonly counts: Counts; readonly faults: readonly string[] }
  | { readonly outcome: 'void' | 'skipped'; readonly counts: Counts; readonly reason: string }

/** What the run has counted, in the order in which it is reported. */
export type Counts = Readonly<Record<string, number>>

/** What a scenario has found: its faults decide first, and then whether anything happened that could have made one. */
export interface Outcome {
  readonly counts: Counts
  readonly faults: readonly string[]
  /** Why the run proves nothing; undefined when it does. */
  readonly voidBecause?: string | undefined
}

export function verdictOf({ counts, faults, voidBecause }: Outcome): Verdict {
  if (faults.length > 0) return { outcome: 'broken', counts, faults }
  return voidBecause === undefined
    ? { outcome: 'held', counts }
    : { outcome: 'void', counts, reason: voidBecause }
}
