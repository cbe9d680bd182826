import type { SourceDefect } from '../mutants/source-defect.ts'
import { createRandom } from '../nemesis/random.ts'
import type { Scenario, ScenarioSize, Verdict } from '../scenarios/scenario.ts'

export interface RunOptions {
  readonly serverUrl: string
  readonly size: ScenarioSize
  readonly seed: number
  readonly directory: string
  readonly onProgress: (line: string) => void
  /** Ends the run early. */
  readonly signal?: AbortSignal
  /** Planted in the workers: the scenario is to find it out. */
  readonly defect?: SourceDefect
}

export interface ScenarioResult {
  readonly scenario: Scenario
  readonly size: ScenarioSize
  readonly seed: number
  readonly seconds: number
  readonly verdict: Verdict
}

const minuteMs = 60_000

/** Runs one scenario within its time. What it throws is a fault: a run that could not be checked has shown nothing. */
export async function runScenario(scenario: Scenario, options: RunOptions): Promise<ScenarioResult> {
  const { size, seed, serverUrl, directory, onProgress, defect } = options
  const startedMs = performance.now()
  const late = AbortSignal.timeout(size.minutesMax * minuteMs)
  const signal = AbortSignal.any([late, ...(options.signal === undefined ? [] : [options.signal])])
  const verdict = await scenario
    .run({
      serverUrl,
      size,
      seed,
      directory,
      signal,
      random: createRandom(seed).fork(scenario.name),
      progress: onProgress,
      defect,
    })
    .catch((error: unknown): Verdict => ({ outcome: 'broken', counts: {}, faults: [why(error, late, size)] }))
  return { scenario, size, seed, seconds: (performance.now() - startedMs) / 1_000, verdict }
}

function why(error: unknown, late: AbortSignal, { minutesMax }: ScenarioSize): string {
  if (late.aborted) return `it was not done within ${minutesMax} minutes`
  return error instanceof Error ? (error.stack ?? error.message) : String(error)
}
