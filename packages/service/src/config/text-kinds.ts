import { z } from 'zod'
import { durationText, durationUnits, formatDuration } from './duration.ts'
import type { ShownSchema } from './shown-schema.ts'

/** The text form of a value in an environment variable. */
export interface TextKind {
  /** A noun for errors: `is not a whole number`. */
  readonly noun: string
  /** The accepted values, with their bounds. */
  readonly accepted: string
  /** Converts the text to the input of the setting's own schema, which checks the bounds. */
  readonly reader: z.ZodType<unknown, string>
  /** Converts a value to its text. */
  readonly write: (value: unknown) => string
}

/** The text form of a setting, derived from its schema. Throws for a schema that is not supported. */
export function textKindOf(shown: ShownSchema): TextKind {
  if (shown.anyOf !== undefined) return oneOf(shown.anyOf.map(textKindOf))
  if (shown.const !== undefined) return literal(String(shown.const))
  if (shown.enum !== undefined) return choice(shown.enum)
  switch (shown.type) {
    case 'integer':
      return shown.unit === 'duration' ? duration(shown) : integer(shown)
    case 'number':
      return decimal(shown)
    case 'boolean':
      return onOff
    case 'array':
      return list(shown)
    case 'string':
      return { noun: 'text', accepted: 'any text', reader: z.string(), write: String }
    default:
      throw new Error(`a setting with this schema has no text form: ${JSON.stringify(shown)}`)
  }
}

const plainNumber = z.coerce.number<string>('is too large')

function integer({ minimum, maximum, unit }: ShownSchema): TextKind {
  const noun = 'a whole number'
  const quantity = unit === 'ms' ? 'whole milliseconds' : noun
  return {
    noun,
    accepted: `${quantity} from ${minimum} to ${maximum}`,
    reader: z
      .string()
      .regex(/^[+-]?\d+$/, `is not ${noun}`)
      .pipe(plainNumber),
    write: String,
  }
}

function decimal({ minimum, maximum }: ShownSchema): TextKind {
  const noun = 'a plain decimal number'
  return {
    noun,
    accepted: `a number from ${minimum} to ${maximum}`,
    reader: z
      .string()
      .regex(/^\d+(\.\d+)?$/, `is not ${noun}`)
      .pipe(plainNumber),
    write: String,
  }
}

function duration({ maximum = 0 }: ShownSchema): TextKind {
  const noun = `a whole number with a unit (${durationUnits.join(', ')})`
  return {
    noun,
    accepted: `${noun}, at most ${formatDuration(maximum)}, such as 12h; or 0`,
    reader: durationText,
    write: (value) => formatDuration(Number(value)),
  }
}

const onOff: TextKind = {
  noun: 'on or off',
  accepted: 'on (or yes, true, 1), off (or no, false, 0)',
  reader: z.stringbool({
    truthy: ['on', 'yes', 'true', '1'],
    falsy: ['off', 'no', 'false', '0'],
    error: 'is neither on nor off',
  }),
  write: (value) => (value === true ? 'on' : 'off'),
}

/** One of these words; the case does not matter. */
function choice(words: readonly string[]): TextKind {
  const noun = 'one of the accepted words'
  return {
    noun,
    accepted: words.join(', '),
    reader: z
      .string()
      .toLowerCase()
      .pipe(z.enum(words, `is not ${noun}`)),
    write: String,
  }
}

function literal(word: string): TextKind {
  const read = (text: string): unknown => (word === '0' ? Number(text) : text)
  return {
    noun: word,
    accepted: word,
    reader: z.string().toLowerCase().pipe(z.literal(word)).transform(read),
    write: String,
  }
}

/** One of several kinds. The first kind that can read the text is used. */
function oneOf(kinds: readonly TextKind[]): TextKind {
  return {
    noun: kinds.map(({ noun }) => noun).join(' or '),
    accepted: kinds.map(({ accepted }) => accepted).join(', or '),
    reader: z.union(
      kinds.map(({ reader }) => reader),
      `is neither ${kinds.map(({ noun }) => noun).join(' nor ')}`,
    ),
    write: String,
  }
}

function list({ maxItems }: ShownSchema): TextKind {
  return {
    noun: 'a list',
    accepted: `at most ${maxItems}, separated by commas`,
    reader: z
      .string()
      .transform(listItems)
      .refine((items) => new Set(items).size === items.length, 'has an item twice'),
    write: (value) => (value as readonly unknown[]).join(','),
  }
}

/** The items of a list, as texts. */
export function listItems(text: string): string[] {
  return text.split(',').map((item) => item.trim())
}
