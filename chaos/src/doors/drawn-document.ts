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

/** How an option is misspelt: its name has a letter less, or it or its members are as another way to enqueue spells them. */
export type Misspelling = 'without a letter' | 'in another case' | 'members in another case'

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

/** The parts of a document that its fault decides. */
type Faulty = Pick<Document, 'options' | 'misspelt' | 'refusedFor'>

const faults: readonly ((drawn: Drawn) => Faulty)[] = [
  refuseValue,
  refuseValue,
  misspellName,
  misspellMembers,
  excludeOptions,
]

interface Drawn {
  readonly random: Random
  readonly call: string
  readonly bounds: DocumentBounds
  readonly options: Options
}

/**
 * Draws a request, half of them with one fault. The same stream draws the same request for each call, but for its keys, which
 * contain the name of the call.
 */
export function drawDocument(random: Random, call: string, bounds: DocumentBounds): Document {
  const kind = random.pick(bounds.kinds)
  const options = drawOptions(random, call, bounds)
  const drawn = { random, call, bounds, options }
  return { call, kind, ...(random.chance(0.5) ? random.pick(faults)(drawn) : { options }) }
}

/** A value beyond a bound, or of another shape. */
function refuseValue({ random, bounds, options }: Drawn): Faulty {
  const option = random.pick(bounds.options)
  const refused = { [option]: optionModels[option].refused(random) }
  return { options: { ...without(options, option), ...refused }, refusedFor: option }
}

function misspellName({ random, call, bounds, options }: Drawn): Faulty {
  const option = random.pick(bounds.options)
  const taken = { [option]: optionModels[option].taken(random, call) }
  const how = random.pick(['without a letter', 'in another case'] as const)
  return { options: { ...without(options, option), ...taken }, misspelt: { option, how }, refusedFor: option }
}

function misspellMembers({ random, call, options }: Drawn): Faulty {
  const option = random.pick(['retryPolicy', 'unique'] as const)
  const taken = {
    retryPolicy: { type: 'fixed', baseMs: 5 },
    unique: { key: call, scope: 'window', windowMs: 5 },
  }
  const misspelt = { option, how: 'members in another case' } as const
  return { options: { ...options, [option]: taken[option] }, misspelt, refusedFor: option }
}

/** Options that exclude each other. A schedule has none of them. */
function excludeOptions(drawn: Drawn): Faulty {
  const { random, bounds, options } = drawn
  if (!bounds.options.includes('delayMs')) return refuseValue(drawn)
  const { options: excluded, named } = random.pick(exclusions)
  return { options: { ...without(options, 'runAt'), ...excluded }, refusedFor: named }
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
