import type { AllOption, CallerTransaction, ConnectOptions, SchemaVersion } from '@queue/core'
import { bytesBeyond, createIdMint, isJobId, type MintIds } from '@queue/core/internal'
import {
  assertArguments,
  assertKnownOptions,
  checkedMethods,
  listOf,
  object,
  optional,
  type ParametersOf,
  text,
} from '@queue/loop/arguments'
import { callerSession, connectionOptions } from '@queue/postgres'
import { type ConnectedOutbox, connectOutbox, outboxInside } from './database/outbox-database.ts'
import { publishBatchBytesMax, publishBatchMax } from './domain/limits.ts'
import { InvalidMessage } from './domain/message-definition.ts'
import type { MessageRequest, StoredMessage } from './domain/message.ts'
import { checkOutboxSchema } from './migrations/index.ts'
import {
  getDeadLetter,
  listDeadLetters,
  type OutboxDeadLetter,
  type OutboxDeadLetterFilter,
  type OutboxDeadLetterPage,
  type OutboxDeadLetterSelection,
} from './reads/dead-letters.ts'
import { getMessage } from './reads/get-message.ts'
import { type OutboxStats, outboxStats } from './reads/outbox-stats.ts'
import { deleteDeadLetter } from './transitions/delete-dead-letter.ts'
import { publishMessages } from './transitions/publish-messages.ts'
import { requeueDeadLetter, requeueDeadLetters } from './transitions/requeue-dead-letters.ts'

/** The options of a publish. */
export interface PublishTarget {
  /**
   * A Kysely transaction, a connected node-postgres client after BEGIN, or a transaction of another library wrapped by
   * `@queue/core/drizzle`, `/prisma` or `/postgres-js`. The message exists if and only if it commits. Other values are refused
   * with `invalid_options`.
   */
  readonly transaction: CallerTransaction
  /** False: relays find the message at their next poll. Default true: they are notified at the commit. */
  readonly notify?: boolean
}

/** The messages that could not be delivered. */
export interface OutboxDeadLetters {
  /** One page, the latest first. Throws `invalid_options`, `invalid_cursor`. */
  list(filter?: OutboxDeadLetterFilter): Promise<OutboxDeadLetterPage>
  get(id: string): Promise<OutboxDeadLetter | undefined>
  /** Requeues one message and removes its dead letter. Throws `dead_letter_not_found`. */
  requeue(id: string): Promise<StoredMessage>
  /**
   * Requeues up to `requeueBatchMax` messages, the oldest first. If it returns that many, call it again. Throws
   * `invalid_options`, and `selects_everything` for a selection without a condition, unless `all` is true.
   */
  requeueMany(selection: OutboxDeadLetterSelection, options?: AllOption): Promise<StoredMessage[]>
  /** Removes one dead letter, and so its message for good. Throws `dead_letter_not_found`. */
  delete(id: string): Promise<void>
}

/** The outbox, for the service that publishes and for its operators. */
export interface Outbox {
  readonly database: ConnectedOutbox
  /**
   * Writes one message in the caller's transaction. Resolves with its id, which is the same at every delivery. Throws the errors
   * of the transaction's connection, and leaves the transaction as PostgreSQL does.
   */
  publish(message: MessageRequest, target: PublishTarget): Promise<string>
  /**
   * Writes up to `publishBatchMax` messages, with payloads of up to `publishBatchBytesMax` in total, in one statement and in
   * their order. Resolves with their ids in the same order.
   */
  publishMany(messages: readonly MessageRequest[], target: PublishTarget): Promise<string[]>
  /** The message in its current state; undefined if it was pruned, dead-lettered, or never committed. */
  get(id: string): Promise<StoredMessage | undefined>
  readonly deadLetters: OutboxDeadLetters
  /** The number of undelivered messages, and the age of the oldest. */
  stats(): Promise<OutboxStats>
  /** Whether this code may run on the database's schema. */
  checkSchema(): Promise<SchemaVersion>
  /** Closes the pool that was made from a connection string; a caller's own pool stays open. */
  close(): Promise<void>
}

/**
 * Opens the outbox in the database of a service, by a connection string or on the service's own pool. Publishing uses only the
 * caller's connection; the first other operation opens the first connection. Throws `invalid_options`.
 */
export function createOutbox(options: ConnectOptions): Outbox {
  assertKnownOptions('createOutbox', options, connectionOptions)
  const database = connectOutbox(options)
  const publishMany = createPublish(database.schema, createIdMint())
  const outbox: Outbox = {
    database,
    publish: async (message, target) => {
      const [id] = await publishMany([message], target)
      if (id === undefined) throw new Error('a publish of one message returned no id')
      return id
    },
    publishMany,
    get: (id) => getMessage(database, id),
    deadLetters: {
      list: (filter = {}) => listDeadLetters(database, filter),
      get: async (id) => (isJobId(id) ? getDeadLetter(database, id) : undefined),
      requeue: (id) => requeueDeadLetter(database, id),
      requeueMany: (selection, all) => requeueDeadLetters(database, selection, all),
      delete: (id) => deleteDeadLetter(database, id),
    },
    stats: () => outboxStats(database),
    checkSchema: () => checkOutboxSchema(database),
    close: () => database.close(),
  }
  return checkedMethods('outbox', outbox, outboxParameters)
}

const id = { id: text }
const outboxParameters: ParametersOf<Omit<Outbox, 'database' | 'publish' | 'publishMany' | 'close'>> = {
  get: id,
  deadLetters: {
    list: { filter: optional(object) },
    get: id,
    requeue: id,
    requeueMany: { selection: object, options: optional(object) },
    delete: id,
  },
  stats: {},
  checkSchema: {},
}

/** A request, as `create` of a message returns it. */
const requestRule = (value: unknown): string | undefined =>
  typeof (value as { readonly payloadText?: unknown } | null | undefined)?.payloadText === 'string'
    ? undefined
    : 'a message, which create() of defineMessage returns'

const publishParameters = { messages: listOf(requestRule) }

function createPublish(schema: string, mintIds: MintIds): Outbox['publishMany'] {
  // A JavaScript caller may omit the target.
  return async (messages, target: PublishTarget | undefined) => {
    assertArguments('publish', publishParameters, [messages])
    if (target !== undefined) assertKnownOptions('publish', target, { transaction: true, notify: true })
    assertBatch(messages)
    const database = outboxInside(callerSession(target?.transaction), schema)
    const ids = await mintIds(database, messages.length)
    const identified = messages.map((message, index) => ({ ...message, id: ids[index] as string }))
    await publishMessages(database, identified, { notify: target?.notify ?? true })
    return ids
  }
}

function assertBatch(messages: readonly MessageRequest[]): void {
  if (messages.length > publishBatchMax) {
    refuseBatch(`one call takes at most ${publishBatchMax} messages, but got ${messages.length}`)
  }
  const bytes = bytesBeyond(
    messages.map((message) => message.payloadText),
    publishBatchBytesMax,
  )
  if (bytes !== undefined) {
    refuseBatch(
      `one call takes payloads of at most ${publishBatchBytesMax} bytes in total, but got ${bytes}: ` +
        'publish them in several calls',
    )
  }
}

function refuseBatch(message: string): never {
  throw new InvalidMessage([{ path: [], message }])
}
