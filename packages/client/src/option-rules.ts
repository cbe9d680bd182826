// What the options of the calls have to be. Each file of calls has one table of them.
import { assertReadable, describeValue, InvalidCall } from './invalid-call.ts'
import { describeUnknown } from './nearest-name.ts'
import type { CallOptions } from './options.ts'

/** What an option has to be: returns undefined if it is that, or else the words that follow "must be". */
export type Rule = (value: unknown) => string | undefined

export type Rules<Options> = { readonly [Name in keyof Options]-?: Rule }

/** The options of one call. */
export interface CallRules {
  /** Their position among the arguments. */
  readonly at: number
  readonly options: Readonly<Record<string, Rule>>
  /** Whether the other members are sent to the API, which checks them. */
  readonly sendsOthers?: true
  /** Whether the call returns an iterable, and begins with its first step. */
  readonly iterates?: true
}

/** The options of each call, as its type has them: a call or an option without its line does not compile. */
export type RulesOfCalls<Calls> = { readonly [Name in keyof Calls]: RulesOfCall<Calls[Name]> }

type RulesOfCall<Call> = Call extends (...args: infer Args) => infer Result
  ? Required<Args> extends readonly [...infer Before, infer Options]
    ? { readonly at: Before['length'] } & OptionRules<Options> & Iteration<Result>
    : never
  : never

type OptionRules<Options> =
  | { readonly options: Rules<Options> }
  | { readonly options: Rules<CallOptions>; readonly sendsOthers: true }

type Iteration<Result> =
  Result extends AsyncIterable<unknown> ? { readonly iterates: true } : { readonly iterates?: never }

export const text: Rule = (value) => (value === undefined || typeof value === 'string' ? undefined : 'a text')

export const milliseconds: Rule = (value) =>
  value === undefined || (typeof value === 'number' && value >= 0) ? undefined : 'a number from 0'

export const oneOf =
  (...values: readonly string[]): Rule =>
  (value) =>
    value === undefined || values.some((known) => known === value) ? undefined : `one of ${values.join(', ')}`

const abortSignal: Rule = (value) => {
  const methods = value as Partial<Record<string, unknown>> | null | undefined
  const isSignal = ['throwIfAborted', 'addEventListener'].every(
    (name) => typeof methods?.[name] === 'function',
  )
  return value === undefined || isSignal ? undefined : 'an AbortSignal'
}

/** The options of every call. */
export const callOptions: Rules<CallOptions> = { signal: abortSignal }

/** Throws for an option that the call does not have, or that is not what it has to be: it would be ignored. */
export function assertOptions(call: string, given: unknown, { options, sendsOthers }: CallRules): void {
  if (given === undefined) return
  assertObject(call, given)
  const known = Object.keys(options)
  const unknown = Object.keys(given).find((name) => !known.includes(name))
  if (unknown !== undefined && !sendsOthers)
    throw new InvalidCall(`${call} ${describeUnknown(unknown, known)}`)
  const members = given as Readonly<Record<string, unknown>>
  for (const [name, rule] of Object.entries(options)) {
    const fault = rule(members[name])
    if (fault !== undefined)
      throw new InvalidCall(`${name} of ${call} must be ${fault}; it is ${describeValue(members[name])}`)
  }
}

export function assertObject(call: string, value: unknown): asserts value is object {
  // Of a proxy that has been revoked not even this can be asked.
  assertReadable([value])
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new InvalidCall(`${call} takes an object, not ${describeValue(value)}: pass what its type says`)
}
