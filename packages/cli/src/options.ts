import { usageFailure } from './failure.ts'

/** An option without a value. */
export interface Flag {
  readonly summary: string
  readonly value?: undefined
}

/** An option with a value, and how its text becomes one. */
export interface Valued<Value> {
  readonly summary: string
  /** What stands for its value in the help. */
  readonly value: string
  /** The values that it takes, where they are few: for the help and for completion. */
  readonly choices?: readonly string[] | undefined
  /** Whether its value names a file: for completion. */
  readonly isFile?: boolean | undefined
  /** Throws what is wrong with the text, as the end of a sentence that begins with the option. */
  readonly read: (text: string) => Value
}

export type Option = Flag | Valued<unknown>
export type OptionTable = Readonly<Record<string, Option>>

/** The values of the options that were given. */
export type ValuesOf<Options extends OptionTable> = {
  readonly [Name in keyof Options]?: Options[Name] extends Valued<infer Value> ? Value : true
}

export function flag(summary: string): Flag {
  return { summary }
}

export function text(value: string, summary: string): Valued<string> {
  return { value, summary, read: (given) => given }
}

/** One text, or several with commas between. */
export function texts(value: string, summary: string): Valued<string[]> {
  return { value, summary: `${summary}; several: with commas between`, read: (given) => given.split(',') }
}

export function file(summary: string): Valued<string> {
  return { value: 'FILE', summary, isFile: true, read: (given) => given }
}

export function choice<Choice extends string>(
  value: string,
  choices: readonly Choice[],
  summary: string,
): Valued<Choice> {
  const read = (given: string): Choice => {
    const found = choices.find((one) => one === given)
    if (found === undefined) throw usageFailure(`is not one of ${choices.join(', ')}`)
    return found
  }
  return { value, choices, summary, read }
}

export function whole(
  value: string,
  { min, max }: { readonly min: number; readonly max: number },
  summary: string,
): Valued<number> {
  const read = (given: string): number => {
    const number = /^\d{1,15}$/.test(given) ? Number(given) : Number.NaN
    if (number >= min && number <= max) return number
    throw usageFailure(`is not a whole number from ${min} to ${max}`)
  }
  return { value, summary, read }
}

const unitMs: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 }

/** Milliseconds, from `90s` or `1h30m`. */
export function duration(value: string, summary: string): Valued<number> {
  return { value, summary, read: readDuration }
}

function readDuration(given: string): number {
  const parts = [...given.matchAll(/(\d{1,9})(ms|s|m|h|d)/g)]
  if (parts.length === 0 || parts.map(([all]) => all).join('') !== given) {
    throw usageFailure('is not a duration such as 500ms, 90s, 15m, 1h30m or 7d')
  }
  return parts.reduce((sum, [, count, unit = '']) => sum + Number(count) * (unitMs[unit] ?? 0), 0)
}

const instantPattern = /^\d{4}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d(?:\.\d{1,6})?)?(?:Z|[+-]\d\d:\d\d))?$/

/** An instant in ISO 8601: `2026-01-15T09:30:00Z`; a date alone is its first moment in UTC. */
export function instant(value: string, summary: string): Valued<string> {
  const read = (given: string): string => {
    const at = instantPattern.test(given) ? new Date(given) : new Date(Number.NaN)
    if (!Number.isNaN(at.getTime())) return at.toISOString()
    throw usageFailure('is not an instant such as 2026-01-15T09:30:00Z or 2026-01-15')
  }
  return { value, summary, read }
}

/** A JSON document. */
export function json(value: string, summary: string): Valued<unknown> {
  return { value, summary, read: parseJson }
}

interface ReviverContext {
  readonly source?: string
}

/** What a double cannot hold is refused, as the API refuses it: it would be stored as another number. */
export function parseJson(given: string): unknown {
  const exact = (_key: string, parsed: unknown, context?: ReviverContext): unknown => {
    const isInexact = typeof parsed === 'number' && Number.isInteger(parsed) && !Number.isSafeInteger(parsed)
    if (isInexact || parsed === Infinity || parsed === -Infinity) {
      throw usageFailure(
        `has the number ${context?.source ?? parsed}, which JSON readers do not keep: send it as text`,
      )
    }
    return parsed
  }
  try {
    return JSON.parse(given, exact) as unknown
  } catch (error) {
    if (error instanceof SyntaxError) throw usageFailure(`is not JSON: ${error.message}`)
    throw error
  }
}
