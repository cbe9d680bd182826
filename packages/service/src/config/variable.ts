import { z } from 'zod'

/** What the help text and the generated documentation say of one environment variable. */
export interface VariableDocs {
  readonly description: string
  /** What a good value looks like. */
  readonly accepted: string
  readonly presence: 'required' | 'optional'
  /** What holds when it is unset, as one would write it; absent when nothing does. */
  readonly default?: string
  /** A secret's value is never shown, and `NAME_FILE` may name a file to read it from. */
  readonly secrecy: 'secret' | 'public'
}

/** The documentation of every variable, by its schema. */
export const variableDocs = z.registry<VariableDocs>()

/** A value read from a variable's text, or what is wrong with the text ("is not a whole number"). */
export type ParsedText<Value> = { readonly value: Value } | { readonly fault: string }

export interface VariableOptions<Value> {
  readonly description: string
  readonly accepted: string
  readonly parse: (text: string) => ParsedText<Value>
  /** What holds when the variable is unset: nothing does when it is required. */
  readonly unset: 'required' | { readonly value: Value; readonly shown?: string }
  /** Default `public`. */
  readonly secrecy?: 'secret' | 'public'
}

/** A variable's schema: from its text, or undefined when it is unset, to its value. */
export type Variable<Value> = z.ZodType<Value, string | undefined>

const shownCharsMax = 100

/**
 * Declares one environment variable: what it is for, what it accepts, what holds without it, and how it is
 * read.
 */
export function defineVariable<Value>(options: VariableOptions<Value>): Variable<Value> {
  const { description, accepted, unset } = options
  const secrecy = options.secrecy ?? 'public'
  const variable = z
    .string()
    .optional()
    .transform((text, context): Value => {
      const parsed = text === undefined ? parseUnset(unset) : options.parse(text)
      if ('value' in parsed) return parsed.value
      const shown = text === undefined || secrecy === 'secret' ? '' : ` ${show(text)}`
      context.issues.push({ code: 'custom', input: text, message: `${shown} ${parsed.fault}`.trim() })
      return z.NEVER
    })
  variableDocs.add(variable, {
    description,
    accepted,
    secrecy,
    presence: unset === 'required' ? 'required' : 'optional',
    ...(unset === 'required' || unset.shown === undefined ? {} : { default: unset.shown }),
  })
  return variable
}

function parseUnset<Value>(unset: VariableOptions<Value>['unset']): ParsedText<Value> {
  return unset === 'required' ? { fault: 'is not set' } : { value: unset.value }
}

function show(text: string): string {
  return JSON.stringify(text.length > shownCharsMax ? `${text.slice(0, shownCharsMax)}…` : text)
}
