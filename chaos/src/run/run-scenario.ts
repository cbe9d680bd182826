import type { Mutation } from '../mutants/mutation.ts'
import type { SourceDefect } from '../mutants/source-defect.ts'
import { createRandom } from '../nemesis/random.ts'
import type { Scenario, ScenarioSize, RunResult } from '../scenarios/scenario.ts'

export interface RunOptions {
  readonly serverUrl: string
  readonly size: ScenarioSize
  readonly seed: number
  readonly directory: string
  readonly onProgress: (line: string) => void
  /** Stops the run early. */
  readonly signal?: AbortSignal
  /** A defect to plant in the workers, which the scenario must detect. */
  readonly defect?: SourceDefect
  /** A defect to plant in the statements and functions, which the scenario must detect. */
  readonly mutation?: Mutation
}

export interface ScenarioRun {
  readonly scenario: Scenario
  readonly size: ScenarioSize
  readonly seed: number
  readonly seconds: number
  readonly result: RunResult
}

const minuteMs = 60_000

/** Runs one scenario within its time limit. An error that it throws is a fault, because the run could not be checked. */
export async function runScenario(scenario: Scenario, options: RunOptions): Promise<ScenarioRun> {
  const { size, seed, serverUrl, directory, onProgress, defect, mutation } = options
  const startedMs = performance.now()
  const late = AbortSignal.timeout(size.minutesMax * minuteMs)
  const signal = AbortSignal.any([late, ...(options.signal === undefined ? [] : [options.signal])])
  const result = await scenario
    .run({
      serverUrl,
      size,
      seed,
      directory,
      signal,
      random: createRandom(seed).fork(scenario.name),
      progress: onProgress,
      defect,
      mutation,
    })
    .catch(
      (error: unknown): RunResult => ({
        outcome: 'broken',
        counts: {},
        faults: [faultOf(error, late, size)],
      }),
    )
  return { scenario, size, seed, seconds: (performance.now() - startedMs) / 1_000, result }
}

function faultOf(error: unknown, late: AbortSignal, { minutesMax }: ScenarioSize): string {
  if (late.aborted) return `the run took longer than ${minutesMax} minutes`
  return error instanceof Error ? (error.stack ?? error.message) : String(error)
}
