import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import type { MeasurementRequest, MeasurementResult } from '../throughput/measurement.ts'
import type { Costs } from './costs.ts'

/** One of the two builds that are compared. */
export interface Side {
  /** Its name in progress output and errors. */
  readonly name: string
  /**
   * The path of the file in its tree that exports `ours`, a contender, and uses the public API of that commit. Its imports
   * resolve to the dependencies and `dist` of that tree. The process that measures it loads no other code of the queue.
   */
  readonly adapter: string
}

/** The result of one run of one side. */
export interface SideResult {
  readonly figures: MeasurementResult
  /** The costs of the measured part only. */
  readonly costs: Costs
  /** The largest resident memory of the process, in bytes. */
  readonly peakRssBytes: number
}

/** The task of a side's process, as JSON on its command line. */
export type SideCommand = { readonly adapter: string } & (
  | { readonly act: 'prepare'; readonly url: string }
  | ({ readonly act: 'measure'; readonly countersUrl: string } & MeasurementRequest)
)

const script = fileURLToPath(new URL('./side-process.ts', import.meta.url))

/** Creates the schema that this side's code needs in the empty database at `url`. */
export async function prepareSide(side: Side, url: string, signal?: AbortSignal): Promise<void> {
  await runSide(side, { act: 'prepare', adapter: side.adapter, url }, signal)
}

export interface SideMeasurement extends MeasurementRequest {
  /** A database of the same server that has the counters. */
  readonly countersUrl: string
}

/** Makes one measurement of this side in a separate process. */
export async function measureSide(
  side: Side,
  command: SideMeasurement,
  signal?: AbortSignal,
): Promise<SideResult> {
  const output = await runSide(side, { act: 'measure', adapter: side.adapter, ...command }, signal)
  return JSON.parse(output.trim().split('\n').at(-1) ?? '') as SideResult
}

async function runSide(side: Side, command: SideCommand, signal: AbortSignal | undefined): Promise<string> {
  const task = command.act === 'prepare' ? 'its schema' : command.measurement
  try {
    const { stdout } = await promisify(execFile)(process.execPath, [script, JSON.stringify(command)], {
      signal,
    })
    return stdout
  } catch (error) {
    signal?.throwIfAborted()
    // The error's own message is not used because it contains the command line with the server's password.
    const { stderr = '', signal: endedBy } = error as { readonly stderr?: string; readonly signal?: string }
    const reason =
      stderr.trim() === ''
        ? `the process ended (${endedBy ?? 'without a signal'}) and printed no error`
        : stderr.trim()
    throw new Error(`${side.name}, ${task}: ${reason}`, { cause: error })
  }
}
