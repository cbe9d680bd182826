import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect } from '@jest/globals'
import { acquireServer } from '@queue/dev-postgres'
import type { SourceDefect } from '../../src/mutants/source-defect.ts'
import type { Scenario } from '../../src/scenarios/scenario.ts'
import { type ScenarioResult, runScenario } from '../../src/run/run-scenario.ts'

const seedMax = 2 ** 32 - 1

/**
 * Runs the reduced column of a scenario with a seed of its own, and expects that its law held. A failure shows the
 * seed: `pnpm chaos <scenario> --quick --seed <seed>` draws the same decisions.
 */
export async function expectHeld(scenario: Scenario): Promise<void> {
  const { seed, verdict } = await runReduced(scenario)
  const fine = verdict.outcome === 'held' || verdict.outcome === 'skipped'
  if (verdict.outcome === 'skipped') process.stderr.write(`${scenario.name}: skipped: ${verdict.reason}\n`)
  expect({ seed, verdict }).toEqual({ seed, verdict: fine ? verdict : { outcome: 'held' } })
}

/** On a busy machine a defect may have had no occasion to show. */
const triesMax = 3

/** The same with a defect planted in the workers, which the scenario has to find out by `fault`, in one of a few runs. */
export async function expectFoundOut(scenario: Scenario, defect: SourceDefect, fault: RegExp): Promise<void> {
  let result = await runReduced(scenario, defect)
  for (let tries = 1; tries < triesMax && result.verdict.outcome === 'held'; tries += 1) {
    result = await runReduced(scenario, defect)
  }
  const { seed, verdict } = result
  if (verdict.outcome === 'skipped') {
    process.stderr.write(`${scenario.name} with a defect: skipped: ${verdict.reason}\n`)
    return
  }
  const faults = verdict.outcome === 'broken' ? verdict.faults : []
  expect({ seed, verdict, faults }).toEqual({
    seed,
    verdict: expect.objectContaining({ outcome: 'broken' }),
    faults: expect.arrayContaining([expect.stringMatching(fault)]),
  })
}

async function runReduced(scenario: Scenario, defect?: SourceDefect): Promise<ScenarioResult> {
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
      ...(defect === undefined ? {} : { defect }),
    })
  } finally {
    await server.stop()
    await rm(directory, { recursive: true, force: true })
  }
}
