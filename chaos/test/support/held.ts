import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect } from '@jest/globals'
import { acquireServer } from '@queue/dev-postgres'
import type { SourceDefect } from '../../src/mutants/source-defect.ts'
import type { Row } from '../../src/rows/row.ts'
import { type RowResult, runRow } from '../../src/run/run-row.ts'

const seedMax = 2 ** 32 - 1

/**
 * Runs the reduced column of a row with a seed of its own, and expects that its law held. A failure shows the seed:
 * `pnpm chaos <row> --quick --seed <seed>` draws the same decisions.
 */
export async function expectHeld(row: Row): Promise<void> {
  const { seed, verdict } = await runReduced(row)
  const fine = verdict.outcome === 'held' || verdict.outcome === 'skipped'
  if (verdict.outcome === 'skipped') process.stderr.write(`${row.name}: skipped: ${verdict.reason}\n`)
  expect({ seed, verdict }).toEqual({ seed, verdict: fine ? verdict : { outcome: 'held' } })
}

/** The same with a defect planted in the workers, which the row has to find out by `fault`. */
export async function expectFoundOut(row: Row, defect: SourceDefect, fault: RegExp): Promise<void> {
  const { seed, verdict } = await runReduced(row, defect)
  if (verdict.outcome === 'skipped') {
    process.stderr.write(`${row.name} with a defect: skipped: ${verdict.reason}\n`)
    return
  }
  const faults = verdict.outcome === 'broken' ? verdict.faults : []
  expect({ seed, verdict, faults }).toEqual({
    seed,
    verdict: expect.objectContaining({ outcome: 'broken' }),
    faults: expect.arrayContaining([expect.stringMatching(fault)]),
  })
}

async function runReduced(row: Row, defect?: SourceDefect): Promise<RowResult> {
  const seed = Math.floor(Math.random() * seedMax)
  const directory = await mkdtemp(path.join(tmpdir(), 'queue-chaos-'))
  const server = await acquireServer()
  try {
    return await runRow(row, {
      serverUrl: server.url,
      size: row.reduced,
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
