import type { Random } from '../nemesis/random.ts'
import type { KindName } from './kinds.ts'
import {
  exclusions,
  optionModels,
  type OptionName,
  optionNames,
  type Options,
  scheduleOptionNames,
} from './option-model.ts'

/** How the name of an option is written wrongly: without a letter, or as another way to enqueue spells it. */
export type Misspelling = 'without a letter' | 'in another case'

/** A request as it is drawn, before it is written for one of the ways to send it. */
export interface Document {
  /** The name of the call. Its job has it as its payload. */
  readonly call: string
  readonly kind: KindName
  readonly options: Options
  /** An option whose name is written wrongly. */
  readonly misspelt?: { readonly option: OptionName; readonly how: Misspelling }
  /** The option that every refusal must name; absent: the request must be taken. */
  readonly refusedFor?: OptionName
}

/** What a document can have. */
export interface DocumentBounds {
  readonly kinds: readonly KindName[]
  readonly options: readonly OptionName[]
}

export const anyJob: DocumentBounds = { kinds: ['plain', 'preset'], options: optionNames }
export const jobOfSchedule: DocumentBounds = { kinds: ['plain', 'preset'], options: scheduleOptionNames }

/**
 * Draws a request, half of them with one fault. The same stream draws the same request for each call, but for its keys, which
 * contain the name of the call.
 */
export function drawDocument(random: Random, call: string, bounds: DocumentBounds): Document {
  const kind = random.pick(bounds.kinds)
  const options = drawOptions(random, call, bounds)
  const document = { call, kind, options }
  if (random.chance(0.5)) return document
  const fault = random.pick(['refused', 'refused', 'misspelt', 'excluded'] as const)
  const option = random.pick(bounds.options)
  const model = optionModels[option]
  if (fault === 'refused')
    return {
      ...document,
      options: { ...without(options, option), [option]: model.refused(random) },
      refusedFor: option,
    }
  const isExcluded = fault === 'excluded' && bounds.options.includes('delayMs')
  if (isExcluded) {
    const { options: excluded, named } = random.pick(exclusions)
    return { ...document, options: { ...withoutInstants(options), ...excluded(call) }, refusedFor: named }
  }
  const misspelt = { option, how: random.pick(['without a letter', 'in another case'] as const) }
  const written = { ...without(options, option), [option]: model.taken(random, call) }
  return { ...document, options: written, misspelt, refusedFor: option }
}

/** Some options that fit each other. */
function drawOptions(random: Random, call: string, bounds: DocumentBounds): Options {
  const names = bounds.options.filter(() => random.chance(0.4))
  const drawn = Object.fromEntries(names.map((name) => [name, optionModels[name].taken(random, call)]))
  return 'runAt' in drawn ? without(without(drawn, 'delayMs'), 'expiresInMs') : drawn
}

/** The options that can be given beside any value of `name`. */
function without(options: Options, name: OptionName): Options {
  const excluded: readonly string[] = ['runAt', 'delayMs', 'expiresInMs'].includes(name)
    ? ['runAt', 'delayMs', 'expiresInMs']
    : []
  return Object.fromEntries(
    Object.entries(options).filter(([option]) => option !== name && !excluded.includes(option)),
  )
}

function withoutInstants(options: Options): Options {
  return without(options, 'runAt')
}
