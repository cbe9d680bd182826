// The tables of the outbox for `Kysely<OutboxTables>`. Statements return instants and documents with `epochMs` and `asText`, so
// that the results do not depend on the type parsers of the caller's pool.
import type { Generated } from 'kysely'
import type { DeadLetterReason } from '../domain/message.ts'

export interface OutboxTables {
  readonly outbox_messages: MessagesTable
  readonly outbox_dead_letters: DeadLettersTable
}

interface MessagesTable {
  readonly id: string
  /** The order of publication. */
  readonly sequence: Generated<string>
  readonly lease_token: Generated<string>
  /** While the message is leased, the end of the lease. */
  readonly next_retry_at: Generated<Date>
  readonly created_at: Generated<Date>
  readonly leased_at: Date | null
  readonly delivered_at: Date | null
  readonly attempts: Generated<number>
  readonly last_attempt: Generated<boolean>
  readonly topic: string
  readonly key: string | null
  /** Empty: the relay has stopped during a dispatch, and the lease is kept until it ends. */
  readonly leased_by: string | null
  readonly payload: object
  readonly headers: Generated<object>
  readonly history: object | null
  readonly last_error: string | null
}

interface DeadLettersTable {
  readonly id: string
  readonly sequence: string
  readonly lease_token: string
  readonly created_at: Date
  readonly dead_lettered_at: Date
  readonly attempts: number
  readonly reason: DeadLetterReason
  readonly topic: string
  readonly key: string | null
  readonly payload: object
  readonly headers: object
  readonly history: object
  readonly last_error: string | null
}
