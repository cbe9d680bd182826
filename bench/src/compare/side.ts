import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import type { MeasurementOrder, MeasurementResult } from '../throughput/measurement.ts'
import type { Costs } from './costs.ts'

/** One of the two builds that are compared. */
export interface Side {
  /** How it is called in progress and errors. */
  readonly name: string
  /**
   * The file in its tree that exports `ours`, a contender: what knows the public API of that commit. Its imports lead
   * to that tree's own dependencies and `dist`, and the process that measures it loads no other code of the queue.
   */
  readonly adapter: string
}

/** What one run of one side gave. */
export interface SideResult {
  readonly figures: MeasurementResult
  /** Of the measured part alone. */
  readonly costs: Costs
}

/** What a side's process is to do, as JSON on its command line. */
export type SideOrder = { readonly adapter: string } & (
  | { readonly act: 'prepare'; readonly url: string }
  | ({ readonly act: 'measure'; readonly countersUrl: string } & MeasurementOrder)
)

const script = fileURLToPath(new URL('./side-process.ts', import.meta.url))

/** Brings the empty database at `url` up to what this side's code needs. */
export async function prepareSide(side: Side, url: string, signal?: AbortSignal): Promise<void> {
  await runSide(side, { act: 'prepare', adapter: side.adapter, url }, signal)
}

export interface SideMeasurement extends MeasurementOrder {
  /** A database of the same server, in which the counters are. */
  readonly countersUrl: string
}

/** Makes one measurement of this side, in a process of its own. */
export async function measureSide(
  side: Side,
  order: SideMeasurement,
  signal?: AbortSignal,
): Promise<SideResult> {
  const output = await runSide(side, { act: 'measure', adapter: side.adapter, ...order }, signal)
  return JSON.parse(output.trim().split('\n').at(-1) ?? '') as SideResult
}

async function runSide(side: Side, order: SideOrder, signal: AbortSignal | undefined): Promise<string> {
  const what = order.act === 'prepare' ? 'its schema' : order.measurement
  try {
    const { stdout } = await promisify(execFile)(process.execPath, [script, JSON.stringify(order)], {
      signal,
    })
    return stdout
  } catch (error) {
    signal?.throwIfAborted()
    // Not the error's own message, which repeats the command line with the server's password.
    const { stderr = '', signal: endedBy } = error as { readonly stderr?: string; readonly signal?: string }
    const reason = stderr.trim() === '' ? `ended by ${endedBy ?? 'itself'}, without a word` : stderr.trim()
    throw new Error(`${side.name}, ${what}: ${reason}`, { cause: error })
  }
}
