import { parseArgs } from 'node:util'
import { type Measurement, measurements } from '../throughput/measurement.ts'

/** The arguments of `pnpm bench compare`. */
export interface CompareArguments {
  readonly help: boolean
  readonly json: boolean
  readonly quick: boolean
  /** The server to measure on; undefined for a fresh one. */
  readonly server: string | undefined
  readonly pairs: number
  readonly commit: string
  readonly measurements: readonly Measurement[]
}

export const pairsDefault = 20
/** The fewest pairs that give bounds. */
export const quickPairsDefault = 6
const pairsMax = 1_000

/** Reads the arguments after `compare`. Throws an error that names what is invalid and what is accepted. */
export function parseCompareArguments(args: readonly string[]): CompareArguments {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      pairs: { type: 'string' },
      quick: { type: 'boolean', default: false },
      json: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
      server: { type: 'string' },
    },
  })
  const { quick, json, help, server } = values
  const [commit = '', ...chosen] = positionals
  if (commit === '' && !help) throw new Error('compare needs a commit to compare with')
  return {
    help,
    json,
    quick,
    server,
    commit,
    pairs: readPairs(values.pairs) ?? (quick ? quickPairsDefault : pairsDefault),
    measurements: chosen.length === 0 ? measurements : chosen.map(readMeasurement),
  }
}

function readPairs(text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  const pairs = Number(text)
  if (Number.isInteger(pairs) && pairs >= 1 && pairs <= pairsMax) return pairs
  throw new Error(`--pairs must be a whole number from 1 to ${pairsMax}, not ${JSON.stringify(text)}`)
}

function readMeasurement(name: string): Measurement {
  const measurement = measurements.find((known) => known === name)
  if (measurement !== undefined) return measurement
  throw new Error(`compare can measure ${measurements.join(', ')}, not ${JSON.stringify(name)}`)
}
