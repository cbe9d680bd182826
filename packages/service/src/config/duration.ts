import { defineVariable, type ParsedText, type Variable } from './variable.ts'

export interface DurationOptions {
  readonly description: string
  /** As one would write it: `7d`. */
  readonly default: string
  /** What 0 means, such as `keeps them for ever`. */
  readonly zero: string
}

const dayMs = 86_400_000
const unitsMs = new Map([
  ['ms', 1],
  ['s', 1_000],
  ['m', 60_000],
  ['h', 3_600_000],
  ['d', dayMs],
])
const daysMax = 36_500

/** A duration with its unit, such as `7d`, in milliseconds; 0, which needs no unit, has a meaning of its own. */
export function duration(options: DurationOptions): Variable<number> {
  const unset = parseDuration(options.default)
  if ('fault' in unset) throw new Error(`the default ${options.default} ${unset.fault}`)
  return defineVariable({
    description: options.description,
    accepted: `a whole number with a unit (${[...unitsMs.keys()].join(', ')}), at most ${daysMax}d, such as 12h; 0 ${options.zero}`,
    unset: { value: unset.value, shown: options.default },
    parse: parseDuration,
  })
}

function parseDuration(text: string): ParsedText<number> {
  const [, digits = '', unit = ''] = /^(\d+)([a-z]*)$/.exec(text) ?? []
  if (digits === '') return { fault: 'is not a whole number with a unit' }
  const unitMs = unitsMs.get(unit)
  const count = Number(digits)
  if (count === 0 && (unit === '' || unitMs !== undefined)) return { value: 0 }
  if (unitMs === undefined) return { fault: unit === '' ? 'has no unit' : 'has an unknown unit' }
  const value = count * unitMs
  return value > daysMax * dayMs ? { fault: 'is too large' } : { value }
}
