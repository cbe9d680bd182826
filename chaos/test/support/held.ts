import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect } from '@jest/globals'
import { acquireServer } from '@queue/dev-postgres'
import type { Mutation } from '../../src/mutants/mutation.ts'
import type { SourceDefect } from '../../src/mutants/source-defect.ts'
import type { Scenario } from '../../src/scenarios/scenario.ts'
import { type RunOptions, type ScenarioRun, runScenario } from '../../src/run/run-scenario.ts'

const seedMax = 2 ** 32 - 1

/** How often a scenario is run at most. On a busy machine too little may happen in one run, which then proves nothing. */
const runsMax = 5
/** How often at most with a defect: one that shows in every third run is missed by all of these once in 3 000 times. */
const runsWithDefectMax = 20

/**
 * Runs the reduced size of a scenario with a random seed, and expects that its law holds. A failure shows the seed:
 * `pnpm chaos <scenario> --quick --seed <seed>` draws the same decisions.
 */
export async function expectHeld(scenario: Scenario): Promise<void> {
  let run = await runReduced(scenario)
  for (let runs = 1; runs < runsMax && run.result.outcome === 'void'; runs += 1) {
    run = await runReduced(scenario)
  }
  const { seed, result } = run
  const isAccepted = result.outcome === 'held' || result.outcome === 'skipped'
  if (result.outcome === 'skipped') process.stderr.write(`${scenario.name}: skipped: ${result.reason}\n`)
  expect({ seed, result }).toEqual({ seed, result: isAccepted ? result : { outcome: 'held' } })
}

/**
 * Runs a scenario with a defect planted in its workers, or in its statements and functions. A few runs must together report a fault
 * that matches each of `expected`: a run gives a defect only a chance to show.
 */
export async function expectDetected(
  scenario: Scenario,
  defect: SourceDefect | Mutation,
  ...expected: readonly RegExp[]
): Promise<void> {
  const faults: string[] = []
  const seeds: number[] = []
  const hasMissed = (): boolean => !expected.every((fault) => faults.some((text) => fault.test(text)))
  while (hasMissed() && seeds.length < runsWithDefectMax) {
    const { seed, result } = await runReduced(scenario, defect)
    if (result.outcome === 'skipped') {
      process.stderr.write(`${scenario.name} with a defect: skipped: ${result.reason}\n`)
      return
    }
    seeds.push(seed)
    if (result.outcome === 'broken') faults.push(...result.faults)
  }
  expect({ seeds, faults }).toEqual({
    seeds,
    faults: expect.arrayContaining(expected.map((fault) => expect.stringMatching(fault))),
  })
}

async function runReduced(scenario: Scenario, defect?: SourceDefect | Mutation): Promise<ScenarioRun> {
  const seed = Math.floor(Math.random() * seedMax)
  const directory = await mkdtemp(path.join(tmpdir(), 'queue-chaos-'))
  const server = await acquireServer()
  try {
    return await runScenario(scenario, {
      serverUrl: server.url,
      size: scenario.reduced,
      seed,
      directory,
      onProgress: () => undefined,
      ...plantedBy(defect),
    })
  } finally {
    await server.stop()
    await rm(directory, { recursive: true, force: true })
  }
}

function plantedBy(defect: SourceDefect | Mutation | undefined): Pick<RunOptions, 'defect' | 'mutation'> {
  if (defect === undefined) return {}
  return 'detectedBy' in defect ? { mutation: defect } : { defect }
}
