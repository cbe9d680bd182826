import { usageFailure } from './failure.ts'

/** An option without a value. */
export interface Flag {
  readonly summary: string
  readonly value?: undefined
}

/** An option with a value, and how the value is read. */
export interface Valued<Value> {
  readonly summary: string
  /** Placeholder in the help. */
  readonly value: string
  /** The accepted values, if there are few: for help and completion. */
  readonly choices?: readonly string[] | undefined
  /** Whether the value is a list, so that the option can be given several times. */
  readonly isList?: boolean | undefined
  /** Whether the value is a file name, for completion. */
  readonly isFile?: boolean | undefined
  /** Throws what is wrong with the value, to be appended to the name of the option. */
  readonly read: (text: string) => Value
}

export type Option = Flag | Valued<unknown>
export type OptionTable = Readonly<Record<string, Option>>

/** The values of the given options. */
export type ValuesOf<Options extends OptionTable> = {
  readonly [Name in keyof Options]?: Options[Name] extends Valued<infer Value> ? Value : true
}

export function flag(summary: string): Flag {
  return { summary }
}

export function text(value: string, summary: string): Valued<string> {
  return { value, summary, read: (input) => input }
}

/** One text, or several separated by commas. */
export function texts(value: string, summary: string): Valued<string[]> {
  return {
    value,
    summary: `${summary}; separate several with commas`,
    isList: true,
    read: (input) => input.split(','),
  }
}

export function file(summary: string): Valued<string> {
  return { value: 'FILE', summary, isFile: true, read: (input) => input }
}

export function choice<Choice extends string>(
  value: string,
  choices: readonly Choice[],
  summary: string,
): Valued<Choice> {
  const read = (input: string): Choice => {
    const chosen = choices.find((allowed) => allowed === input)
    if (chosen === undefined) throw usageFailure(`is not one of ${choices.join(', ')}`)
    return chosen
  }
  return { value, choices, summary, read }
}

/** One of these values, or several separated by commas. */
export function someOf<Choice extends string>(
  value: string,
  allowed: readonly Choice[],
  summary: string,
): Valued<Choice[]> {
  const one = choice(value, allowed, `${summary}; separate several with commas`)
  return { ...one, isList: true, read: (input) => input.split(',').map((part) => one.read(part)) }
}

export function whole(
  value: string,
  { min, max }: { readonly min: number; readonly max: number },
  summary: string,
): Valued<number> {
  const read = (input: string): number => {
    const number = /^\d{1,15}$/.test(input) ? Number(input) : Number.NaN
    if (number >= min && number <= max) return number
    throw usageFailure(`is not a whole number from ${min} to ${max}`)
  }
  return { value, summary, read }
}

const unitMs: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 }

/** A duration such as `90s` or `1h30m`, read as milliseconds. */
export function duration(value: string, summary: string): Valued<number> {
  return { value, summary, read: readDuration }
}

function readDuration(input: string): number {
  const parts = [...input.matchAll(/(\d+)(ms|s|m|h|d)/g)]
  if (parts.length === 0 || parts.map(([part]) => part).join('') !== input) {
    throw usageFailure('is not a duration such as 500ms, 90s, 15m, 1h30m or 7d')
  }
  const ms = parts.reduce((sum, [, count, unit = '']) => sum + Number(count) * (unitMs[unit] ?? 0), 0)
  if (Number.isSafeInteger(ms)) return ms
  throw usageFailure('is a duration of more than 2^53 milliseconds')
}

const timestampPattern =
  /^(?<date>\d{4}-\d\d-\d\d)(?:T(?:[01]\d|2[0-3]):\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-](?:[01]\d|2[0-3]):\d\d))?$/

const instantMsMax = Date.UTC(9999, 11, 31, 23, 59, 59, 999)

/** A time in ISO 8601, such as `2026-01-15T09:30:00Z`, in the years that the API takes. A date is its first moment in UTC. */
export function timestamp(value: string, summary: string): Valued<string> {
  const read = (input: string): string => {
    const date = timestampPattern.exec(input)?.groups?.['date']
    const at = date !== undefined && isCalendarDate(date) ? new Date(input) : new Date(Number.NaN)
    if (Number.isNaN(at.getTime())) {
      throw usageFailure('is not a time such as 2026-01-15T09:30:00Z or 2026-01-15')
    }
    if (at.getTime() < 0 || at.getTime() > instantMsMax) {
      throw usageFailure('is not in the years 1970 to 9999')
    }
    return at.toISOString()
  }
  return { value, summary, read }
}

/** Date takes 30 February for 2 March. */
function isCalendarDate(date: string): boolean {
  const start = new Date(date)
  return !Number.isNaN(start.getTime()) && start.toISOString().startsWith(date)
}
