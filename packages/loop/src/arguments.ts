// The only place that checks what callers pass to the functions of a package. A compiler checks most of it, but not for callers
// in JavaScript, and not what comes from elsewhere.
import { QueueError } from './queue-error.ts'

/** What an argument has to be: returns undefined if it is that, or else the words that follow "must be". */
export type Rule = (value: unknown) => string | undefined

/** The parameters of a function, by name, in order. */
export type Parameters = Readonly<Record<string, Rule>>

export const text: Rule = (value) => (typeof value === 'string' ? undefined : 'a text')

export const number: Rule = (value) => (typeof value === 'number' ? undefined : 'a number')

export const flag: Rule = (value) => (typeof value === 'boolean' ? undefined : 'true or false')

export const callback: Rule = (value) => (typeof value === 'function' ? undefined : 'a function')

/** An object whose own members can be read: getters may throw, and a proxy may be revoked. */
export const object: Rule = (value) => {
  if (typeof value !== 'object' || value === null) return 'an object'
  try {
    if (Array.isArray(value)) return 'an object'
    for (const name of Object.keys(value)) void (value as Record<string, unknown>)[name]
    return undefined
  } catch (error) {
    return `an object whose members can be read (${reasonOf(error)})`
  }
}

/** An object that has texts in these members, such as a job. */
export const withTexts =
  (described: string, ...names: readonly string[]): Rule =>
  (value) => {
    const fault = object(value)
    if (fault !== undefined) return fault
    try {
      const members = value as Readonly<Record<string, unknown>>
      return names.every((name) => typeof members[name] === 'string') ? undefined : described
    } catch (error) {
      return `${described} (${reasonOf(error)})`
    }
  }

export const optional =
  (rule: Rule): Rule =>
  (value) =>
    value === undefined ? undefined : rule(value)

export const either =
  (one: Rule, other: Rule): Rule =>
  (value) => {
    const fault = one(value)
    return fault === undefined || other(value) === undefined ? undefined : `${fault} or ${other(value)}`
  }

export const listOf =
  (rule: Rule): Rule =>
  (value) => {
    try {
      if (!Array.isArray(value)) return 'an array'
      // A loop, because a batch of 1 000 requests comes through here.
      for (const element of value) {
        const fault = rule(element)
        if (fault !== undefined) return `an array in which each element is ${fault}`
      }
      return undefined
    } catch (error) {
      return `an array that can be read (${reasonOf(error)})`
    }
  }

export const oneOf =
  (values: readonly string[]): Rule =>
  (value) =>
    typeof value === 'string' && values.includes(value) ? undefined : `one of ${values.join(', ')}`

/** An object that has these methods, such as a kind, which `defineJob` returns. */
export const having =
  (described: string, ...methods: readonly string[]): Rule =>
  (value) => {
    try {
      const members = value as Readonly<Record<string, unknown>> | null | undefined
      return methods.every((name) => typeof members?.[name] === 'function') ? undefined : described
    } catch (error) {
      return `${described} (${reasonOf(error)})`
    }
  }

/** Throws `invalid_options` for the first argument that breaks the rule of its parameter. */
export function assertArguments(call: string, parameters: Parameters, args: readonly unknown[]): void {
  let index = 0
  for (const name in parameters) {
    const fault = parameters[name]?.(args[index])
    if (fault !== undefined) {
      throw new QueueError(
        'invalid_options',
        `${call}: ${name} must be ${fault}, not ${describe(args[index])}`,
      )
    }
    index += 1
  }
}

type AnyMethod = (...args: never[]) => unknown

/** The parameters of each method of `Target`, and of the objects in it. */
export type ParametersOf<Target> = {
  readonly [Name in keyof Target]: Target[Name] extends AnyMethod ? Parameters : ParametersOf<Target[Name]>
}

interface ParametersByName {
  readonly [name: string]: Rule | ParametersByName
}

/**
 * The same methods, which reject with `invalid_options` where an argument breaks the rule of its parameter, before anything is
 * done. Each method in `rules` is async. Members without rules stay as they are, and rules without a member are left out.
 */
export function checkedMethods<Target extends object>(
  owner: string,
  target: Target,
  rules: ParametersByName,
): Target {
  const members = target as Readonly<Record<string, unknown>>
  const checked: Record<string, unknown> = { ...members }
  for (const [name, rule] of Object.entries(rules)) {
    const member = members[name]
    const path = `${owner}.${name}`
    if (typeof member === 'function')
      checked[name] = checkedMethod(path, member as Method, rule as Parameters)
    if (typeof member === 'object' && member !== null)
      checked[name] = checkedMethods(path, member, rule as ParametersByName)
  }
  return checked as Target
}

type Method = (...args: readonly unknown[]) => unknown

function checkedMethod(call: string, method: Method, parameters: Parameters): Method {
  return async (...args) => {
    assertArguments(call, parameters, args)
    return method(...args)
  }
}

/**
 * Throws `invalid_options` if `options` is no object, or has a member that `known` does not name: a misspelt option would be
 * ignored.
 */
export function assertKnownOptions(
  call: string,
  options: unknown,
  known: Readonly<Record<string, unknown>>,
): void {
  assertArguments(call, { options: object }, [options])
  for (const name of Object.keys(options as object)) {
    if (!Object.hasOwn(known, name)) throw unknownOption(call, name, Object.keys(known))
  }
}

/** Throws `invalid_options` unless `options` has no other members than these, and each of them follows its rule. */
export function assertOptions(call: string, options: unknown, rules: Parameters): void {
  assertKnownOptions(call, options, rules)
  const members = options as Readonly<Record<string, unknown>>
  assertArguments(
    call,
    rules,
    Object.keys(rules).map((name) => members[name]),
  )
}

function unknownOption(call: string, name: string, known: readonly string[]): QueueError {
  return new QueueError('invalid_options', `${call}: ${describeUnknown(name, known)}`)
}

/** What is wrong with a member that no option has, and which option was probably meant. */
export function describeUnknown(name: string, known: readonly string[]): string {
  const nearest = nearestOf(name, known)
  const hint = nearest === undefined ? '' : `did you mean ${nearest}? `
  const shown = JSON.stringify(name.slice(0, nameLengthMax))
  const all = known.length === 0 ? 'There are none here' : `The options are ${known.join(', ')}`
  return `no option is called ${shown}: ${hint}${all}`
}

/** A longer name than this is nobody's typing mistake. */
const nameLengthMax = 64
/** The most characters in which a misspelt name differs. */
const mistakesMax = 2

/** The name that was probably meant by a misspelt one; undefined if none is similar. */
export function nearestOf(name: string, known: readonly string[]): string | undefined {
  if (name.length > nameLengthMax) return undefined
  const byDistance = known.map((candidate) => ({
    candidate,
    distance: distanceOf(plain(name), plain(candidate)),
  }))
  const nearest = byDistance.toSorted((a, b) => a.distance - b.distance)[0]
  return nearest === undefined || nearest.distance > mistakesMax ? undefined : nearest.candidate
}

/** `pool_max` and `poolmax` are the same mistake as `PoolMax`. */
function plain(name: string): string {
  return name.toLowerCase().replaceAll('_', '').replaceAll('-', '')
}

/** How many characters have to be inserted, removed or replaced to make one text of the other (Levenshtein's distance). */
function distanceOf(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, column) => column)
  for (let index = 0; index < one.length; index += 1) {
    const next = [index + 1]
    for (let column = 1; column <= other.length; column += 1) {
      const replaced = (row[column - 1] ?? 0) + (other[column - 1] === one[index] ? 0 : 1)
      next.push(Math.min(replaced, (row[column] ?? 0) + 1, (next[column - 1] ?? 0) + 1))
    }
    row = next
  }
  return row[other.length] ?? 0
}

/** What was passed, without the content of a text, which may be a secret. */
function describe(value: unknown): string {
  if (value === null || value === undefined || typeof value === 'number') return String(value)
  if (typeof value !== 'object') return `a ${typeof value}`
  return isArray(value) ? 'this array' : 'this object'
}

/** A proxy that has been revoked throws even here. */
function isArray(value: object): boolean {
  try {
    return Array.isArray(value)
  } catch {
    return false
  }
}

/** What `read` returns. Throws `invalid_options` where a member that it reads throws: a getter may, and a revoked proxy does. */
export function readable<Result>(call: string, read: () => Result): Result {
  try {
    return read()
  } catch (error) {
    if (error instanceof QueueError) throw error
    const message = `${call}: each option must be readable, but reading one throws: ${reasonOf(error)}`
    throw new QueueError('invalid_options', message, { cause: error })
  }
}

/** Why something could not be read. What is thrown may be anything. */
export function reasonOf(error: unknown): string {
  try {
    return error instanceof Error ? error.message : typeof error
  } catch {
    return 'it cannot be read'
  }
}
