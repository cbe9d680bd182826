import { readFileSync } from 'node:fs'
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
  /** At least one, but with `help`. */
  readonly commits: readonly string[]
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
      base: { type: 'boolean', default: false },
    },
  })
  const { quick, json, help, server } = values
  const chosen = measurements.filter((name) => positionals.includes(name))
  const named = positionals.filter((name) => !isMeasurement(name))
  const commits = values.base ? [...named, readBase()] : named
  if (commits.length === 0 && !help)
    throw new Error('compare needs a commit to compare with: name one or more, or the base commit by --base')
  return {
    help,
    json,
    quick,
    server,
    commits,
    pairs: readPairs(values.pairs) ?? (quick ? quickPairsDefault : pairsDefault),
    measurements: chosen.length === 0 ? measurements : chosen,
  }
}

function readPairs(text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  const pairs = Number(text)
  if (Number.isInteger(pairs) && pairs >= 1 && pairs <= pairsMax) return pairs
  throw new Error(`--pairs must be a whole number from 1 to ${pairsMax}, not ${JSON.stringify(text)}`)
}

function isMeasurement(name: string): name is Measurement {
  return measurements.some((known) => known === name)
}

/** The commit with which every release is compared, so that small losses cannot add up unseen. */
function readBase(): string {
  const { commit } = JSON.parse(readFileSync(baseFile, 'utf8')) as { readonly commit: string }
  return commit
}

const baseFile = new URL('../../base.json', import.meta.url)
