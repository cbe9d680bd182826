import type { InputIssue } from '@queue/core'
import { absentParts, checkPayload, type OptionsOf, schemaRule } from '@queue/core/internal'
import { assertArguments, assertKnownOptions, object, text as textRule } from '@queue/loop/arguments'
import { QueueError } from '@queue/loop/queue-error'
import { z } from 'zod'
import {
  headerNameLengthMax,
  headersMax,
  headerValueLengthMax,
  keyLengthMax,
  topicLengthMax,
} from './limits.ts'
import type { MessageRequest } from './message.ts'

/** A topic and the schema of its messages' payload. */
export interface MessageDefinition<Topic extends string = string, Payload extends z.ZodType = z.ZodType> {
  readonly topic: Topic
  readonly payload: Payload
  /** Validates a message for publishing. Throws `InvalidMessage` with every issue. */
  create(payload: z.input<Payload>, options?: MessageOptions): MessageRequest
}

/** The message itself is invalid; nothing was written. */
export class InvalidMessage extends QueueError<'invalid_message'> {
  override readonly name = 'InvalidMessage'
  readonly issues: readonly InputIssue[]

  constructor(issues: readonly InputIssue[]) {
    super(
      'invalid_message',
      issues
        .map(({ path, message }) => (path.length === 0 ? message : `${path.join('.')}: ${message}`))
        .join('; '),
    )
    this.issues = issues
  }
}

/** PostgreSQL's text has neither U+0000 nor lone surrogates. */
const storable = (text: string): boolean => !text.includes('\u0000') && text.isWellFormed()
const text = (lengthMax: number) =>
  z.string().min(1).max(lengthMax).refine(storable, 'has a character that PostgreSQL cannot store')

export const topicSchema = z
  .string()
  .max(topicLengthMax)
  .regex(
    /^[a-z0-9][a-z0-9_.-]*$/,
    'must be lower-case letters, digits and _ . -, and begin with a letter or digit',
  )

const optionFields = {
  /** Messages of the topic with the same key are delivered in the order of their publication; absent: in no particular order. */
  key: text(keyLengthMax).optional(),
  /** Names and texts that are delivered with the payload. */
  headers: z
    .record(
      text(headerNameLengthMax),
      z.string().max(headerValueLengthMax).refine(storable, 'cannot be stored'),
    )
    .refine((headers) => Object.keys(headers).length <= headersMax, `has more than ${headersMax} members`)
    .optional(),
}
const optionsSchema = z.strictObject(optionFields)

/** The optional parts of a message. */
export type MessageOptions = OptionsOf<typeof optionFields>

/**
 * Defines the messages of a topic. The zod schema determines the type of the payload in `create` and in the handler. The payload
 * is stored unchanged; a handler receives it as the schema parses it. Throws `InvalidMessage` if the topic is not a valid name, or if no JSON fits the schema.
 */
export function defineMessage<Topic extends string, Payload extends z.ZodType>(definition: {
  readonly topic: Topic
  readonly payload: Payload
}): MessageDefinition<Topic, Payload> {
  assertKnownOptions('defineMessage', definition, { topic: true, payload: true })
  const { topic, payload: schema } = definition
  assertArguments('defineMessage', { topic: textRule, payload: schemaRule }, [topic, schema])
  const name = topicSchema.safeParse(topic)
  if (!name.success) throw new InvalidMessage(issuesOf(name.error, ['topic']))
  const absent = absentParts(schema)
  if (absent.length > 0) throw new InvalidMessage(absent)
  return {
    topic,
    payload: schema,
    create: (value, options = {}) => {
      assertArguments('create', { options: object }, [options])
      const payload = checkPayload(schema, value)
      const parsedOptions = optionsSchema.safeParse(options)
      if ('issues' in payload || !parsedOptions.success) {
        const payloadIssues = 'issues' in payload ? payload.issues : []
        const optionIssues = parsedOptions.success ? [] : issuesOf(parsedOptions.error, [])
        throw new InvalidMessage([...payloadIssues, ...optionIssues])
      }
      const { key = null, headers = {} } = parsedOptions.data
      return { topic, key, payloadText: payload.text, headers }
    },
  }
}

function issuesOf(error: z.ZodError, prefix: readonly string[]): InputIssue[] {
  return error.issues.map(({ path, message }) => ({
    path: [...prefix, ...path.map((part) => (typeof part === 'symbol' ? String(part) : part))],
    message,
  }))
}
