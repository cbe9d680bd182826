import { type BindAddress, parseBindAddress } from './bind-address.ts'
import { defineVariable, type ParsedText, type Variable } from './variable.ts'

interface Described {
  readonly description: string
}

/** Free text. Without a default it may be absent. */
export function text(options: Described & { readonly default: string }): Variable<string> {
  return defineVariable({
    description: options.description,
    accepted: 'any text',
    unset: { value: options.default, shown: options.default },
    parse: (value) => ({ value }),
  })
}

/** Sixteen characters drawn at random are more than anybody can try; a word is not. */
const secretLengthMin = 16

/**
 * A secret that may be absent, such as a token. `NAME_FILE` may name a file to read it from. A short one is refused,
 * because it can be guessed.
 */
export function optionalSecret(options: Described): Variable<string | undefined> {
  return defineVariable<string | undefined>({
    description: options.description,
    accepted: `at least ${secretLengthMin} characters without line breaks`,
    unset: { value: undefined },
    secrecy: 'secret',
    parse: (value) =>
      value.length < secretLengthMin ? { fault: `is shorter than ${secretLengthMin} characters` } : { value },
  })
}

export interface IntegerOptions extends Described {
  readonly default: number
  readonly min: number
  readonly max: number
  /** Given where 0 is accepted beside the bounds, because it means something else than a small number. */
  readonly zero?: 'accepted'
}

/** A whole number within bounds, both included. */
export function integer(options: IntegerOptions): Variable<number> {
  return bounded(options, `a whole number from ${options.min} to ${options.max}`)
}

/** A duration in whole milliseconds, the bounds included. By convention its variable's name ends in `_MS`. */
export function durationMs(options: IntegerOptions): Variable<number> {
  return bounded(options, `whole milliseconds from ${options.min} to ${options.max}`)
}

function bounded(options: IntegerOptions, accepted: string): Variable<number> {
  return defineVariable({
    description: options.description,
    accepted: options.zero === undefined ? accepted : `${accepted}, or 0`,
    unset: { value: options.default, shown: String(options.default) },
    parse: (value) => parseInteger(value, options),
  })
}

function parseInteger(
  value: string,
  bounds: Pick<IntegerOptions, 'min' | 'max' | 'zero'>,
): ParsedText<number> {
  if (!/^[+-]?\d+$/.test(value)) return { fault: 'is not a whole number' }
  const number = Number(value)
  if (number === 0 && bounds.zero !== undefined) return { value: 0 }
  if (number < bounds.min) return { fault: 'is too small' }
  if (number > bounds.max) return { fault: 'is too large' }
  return { value: number }
}

export interface ChoiceOptions<Choice extends string> extends Described {
  readonly choices: readonly Choice[]
  readonly default: NoInfer<Choice>
}

/** One of a few words; upper and lower case are the same. */
export function choice<const Choice extends string>(options: ChoiceOptions<Choice>): Variable<Choice> {
  return defineVariable<Choice>({
    description: options.description,
    accepted: options.choices.join(', '),
    unset: { value: options.default, shown: options.default },
    parse: (value) => {
      const chosen = options.choices.find((one) => one === value.toLowerCase())
      return chosen === undefined ? { fault: 'is none of them' } : { value: chosen }
    },
  })
}

const switchWords = new Map([
  ['on', true],
  ['true', true],
  ['yes', true],
  ['1', true],
  ['off', false],
  ['false', false],
  ['no', false],
  ['0', false],
])

const switchAccepted = 'on (or yes, true, 1), off (or no, false, 0)'

/** A switch: on (yes, true, 1) or off (no, false, 0). */
export function onOff(options: Described & { readonly default: 'on' | 'off' }): Variable<boolean> {
  return defineVariable({
    description: options.description,
    accepted: switchAccepted,
    unset: { value: options.default === 'on', shown: options.default },
    parse: parseSwitch,
  })
}

/** A switch whose default depends on other variables; `shown` is what mostly holds when it is unset. */
export function optionalOnOff(
  options: Described & { readonly shown: 'on' | 'off' },
): Variable<boolean | undefined> {
  return defineVariable<boolean | undefined>({
    description: options.description,
    accepted: switchAccepted,
    unset: { value: undefined, shown: options.shown },
    parse: parseSwitch,
  })
}

function parseSwitch(value: string): ParsedText<boolean> {
  const state = switchWords.get(value.toLowerCase())
  return state === undefined ? { fault: 'is neither on nor off' } : { value: state }
}

/** An address to listen on, `host:port`; port 0 means any free one. */
export function bindAddress(options: Described & { readonly default: string }): Variable<BindAddress> {
  const parsed = parseBindAddress(options.default)
  if ('fault' in parsed) throw new Error(`the default ${options.default} ${parsed.fault}`)
  return defineVariable({
    description: options.description,
    accepted: 'host:port, such as 0.0.0.0:8080, localhost:8080 or [::1]:8080; port 0 takes any free one',
    unset: { value: parsed.value, shown: options.default },
    parse: parseBindAddress,
  })
}
