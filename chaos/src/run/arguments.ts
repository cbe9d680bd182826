import { parseArgs } from 'node:util'
import type { Scenario, ScenarioSize } from '../scenarios/scenario.ts'

export interface Arguments {
  readonly scenarios: readonly Scenario[]
  readonly quick: boolean
  readonly json: boolean
  readonly help: boolean
  /** Undefined: a random seed. */
  readonly seed: number | undefined
  readonly sizeOf: (scenario: Scenario) => ScenarioSize
}

const seedMax = 2 ** 32 - 1
const sizeMax = 10_000_000

/** Parses the command line. Throws an `Error` that says what is wrong with it. */
export function parseArguments(args: readonly string[], known: readonly Scenario[]): Arguments {
  const { values, positionals } = parseArgs({
    // `pnpm chaos kill -- --seed 7` passes the dashes on.
    args: args.filter((argument) => argument !== '--'),
    allowPositionals: true,
    options: {
      quick: { type: 'boolean', default: false },
      json: { type: 'boolean', default: false },
      help: { type: 'boolean', short: 'h', default: false },
      seed: { type: 'string' },
      jobs: { type: 'string' },
      count: { type: 'string' },
    },
  })
  const jobs = wholeNumber('--jobs', values.jobs, sizeMax)
  const count = wholeNumber('--count', values.count, sizeMax)
  const selected = positionals.flatMap((name) => scenariosOf(name, known))
  return {
    scenarios: selected.length === 0 ? known : selected,
    quick: values.quick,
    json: values.json,
    help: values.help,
    seed: wholeNumber('--seed', values.seed, seedMax),
    sizeOf: (scenario) => {
      const size = values.quick ? scenario.reduced : scenario.full
      return { ...size, ...(jobs === undefined ? {} : { jobs }), ...(count === undefined ? {} : { count }) }
    },
  }
}

/** The scenario with this name, or all with this number: two scenarios may check one law. */
function scenariosOf(name: string, known: readonly Scenario[]): Scenario[] {
  const matching = known.filter((scenario) => scenario.name === name || String(scenario.number) === name)
  if (matching.length === 0) throw new Error(`there is no scenario ${JSON.stringify(name)}`)
  return matching
}

function wholeNumber(option: string, text: string | undefined, max: number): number | undefined {
  if (text === undefined) return undefined
  const value = Number(text.replaceAll('_', ''))
  if (Number.isInteger(value) && value >= 0 && value <= max) return value
  throw new Error(`${option} must be a whole number from 0 to ${max}, not ${JSON.stringify(text)}`)
}
