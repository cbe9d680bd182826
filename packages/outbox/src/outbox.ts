import type { CallerTransaction, ConnectOptions, SchemaVersion } from '@queue/core'
import { bytesBeyond, createIdMint, isJobId, type MintIds } from '@queue/core/fields'
import { callerSession } from '@queue/postgres'
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

/** How a message is published. */
export interface PublishTarget {
  /**
   * A Kysely transaction, a connected node-postgres client that has said BEGIN, or what `@queue/core/drizzle`, `/prisma` or
   * `/postgres-js` has made of another library's. The message exists when, and only when,
   * it commits. Anything else is refused with `invalid_options`.
   */
  readonly transaction: CallerTransaction
  /** False leaves relays to find the message at their next poll. Default: they are told at the commit. */
  readonly notify?: boolean
}

/** The messages that were given up. */
export interface OutboxDeadLetters {
  /** One page, the latest first. Throws `invalid_options`, `invalid_cursor`. */
  list(filter?: OutboxDeadLetterFilter): Promise<OutboxDeadLetterPage>
  get(id: string): Promise<OutboxDeadLetter | undefined>
  /** Puts one message back and removes its dead letter. Throws `dead_letter_not_found`. */
  requeue(id: string): Promise<StoredMessage>
  /** Puts up to `requeueBatchMax` back, the oldest first; a full answer means: call again. */
  requeueMany(selection?: OutboxDeadLetterSelection): Promise<StoredMessage[]>
  /** Removes one dead letter, and its message for good. Throws `dead_letter_not_found`. */
  delete(id: string): Promise<void>
}

/** The outbox as the service that publishes sees it, and whoever looks after it. */
export interface Outbox {
  readonly database: ConnectedOutbox
  /**
   * Writes one message in the caller's transaction and gives its id, which is the same at every delivery. Throws what
   * the transaction's connection throws; the transaction is then as PostgreSQL leaves it.
   */
  publish(message: MessageRequest, target: PublishTarget): Promise<string>
  /**
   * Writes up to `publishBatchMax` messages, their payloads up to `publishBatchBytesMax`, in one statement, in their
   * order. The ids have the same order.
   */
  publishMany(messages: readonly MessageRequest[], target: PublishTarget): Promise<string[]>
  /** The message as it stands, or undefined: pruned, dead-lettered, or never committed. */
  get(id: string): Promise<StoredMessage | undefined>
  readonly deadLetters: OutboxDeadLetters
  /** How much waits, and for how long. */
  stats(): Promise<OutboxStats>
  /** Whether this code may run on the database's schema. */
  checkSchema(): Promise<SchemaVersion>
  /** Closes the pool that was made from a connection string; a caller's own pool stays open. */
  close(): Promise<void>
}

/**
 * The outbox in the database of a service, by a connection string or on the service's own pool. Publishing uses the
 * caller's connection alone; the first of the other operations makes the first connection. Throws `invalid_options`.
 */
export function createOutbox(options: ConnectOptions): Outbox {
  const database = connectOutbox(options)
  const publishMany = createPublish(database.schema, createIdMint())
  return {
    database,
    publish: async (message, target) => {
      const [id] = await publishMany([message], target)
      if (id === undefined) throw new Error('a publish of one message gave no id')
      return id
    },
    publishMany,
    get: (id) => getMessage(database, id),
    deadLetters: {
      list: (filter = {}) => listDeadLetters(database, filter),
      get: async (id) => (isJobId(id) ? getDeadLetter(database, id) : undefined),
      requeue: (id) => requeueDeadLetter(database, id),
      requeueMany: (selection = {}) => requeueDeadLetters(database, selection),
      delete: (id) => deleteDeadLetter(database, id),
    },
    stats: () => outboxStats(database),
    checkSchema: () => checkOutboxSchema(database),
    close: () => database.close(),
  }
}

function createPublish(schema: string, mintIds: MintIds): Outbox['publishMany'] {
  // From JavaScript, the target may be missing.
  return async (messages, target: PublishTarget | undefined) => {
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
    refuseBatch(`at most ${publishBatchMax} messages go in one call, and these are ${messages.length}`)
  }
  const bytes = bytesBeyond(
    messages.map((message) => message.payloadText),
    publishBatchBytesMax,
  )
  if (bytes !== undefined) {
    refuseBatch(
      `payloads of at most ${publishBatchBytesMax} bytes go in one call, and these come to ${bytes}: ` +
        'publish them in several calls',
    )
  }
}

function refuseBatch(message: string): never {
  throw new InvalidMessage([{ path: [], message }])
}
