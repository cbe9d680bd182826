import type { Access } from '@queue/postgres'

/**
 * The processes that connect to an outbox with a role of their own. `publisher` is the service with `createOutbox`, which also
 * manages the dead letters; `relay` delivers; `readonly` is for people and dashboards. The owner of the tables, which migrates,
 * is not one of them.
 */
export const outboxProcesses = ['publisher', 'relay', 'readonly'] as const

export type OutboxProcess = (typeof outboxProcesses)[number]

const read = { SELECT: 'all' } as const

/** The columns that a publish writes. The sequence, the attempts and the lease of a new message are defaults of the table. */
const published = ['id', 'topic', 'key', 'payload', 'headers'] as const

/**
 * The privileges of each process on the outbox: exactly those that its statements need. Without UPDATE and DELETE on messages,
 * `publisher` cannot take back, hide or rewrite a committed message; `relay` cannot create a message, nor change its content,
 * topic or order. `publisher` may update one unimportant column of a dead letter, because the lock with which a requeue takes
 * dead letters requires UPDATE on at least one column.
 */
export const outboxAccess: Access<OutboxProcess> = {
  processes: outboxProcesses,
  seeSessions: [],
  matrix: {
    outbox_messages: {
      publisher: {
        SELECT: 'all',
        // The additional columns are for a requeue, which restores the values of the dead letter.
        INSERT: [...published, 'sequence', 'lease_token', 'created_at', 'history', 'last_error'],
      },
      relay: {
        SELECT: 'all',
        UPDATE: [
          'attempts',
          'last_attempt',
          'lease_token',
          'leased_at',
          'leased_by',
          'next_retry_at',
          'delivered_at',
          'history',
          'last_error',
        ],
        DELETE: 'all',
      },
      readonly: read,
    },
    outbox_dead_letters: {
      publisher: { SELECT: 'all', UPDATE: ['last_error'], DELETE: 'all' },
      relay: {
        SELECT: 'all',
        INSERT: 'all',
        UPDATE: ['lease_token', 'dead_lettered_at', 'attempts', 'reason', 'history', 'last_error'],
      },
      readonly: read,
    },
    outbox_migrations: { publisher: read, relay: read, readonly: read },
  },
  others: { sequence: ['outbox_messages_sequence_seq'], routine: [], type: [] },
}
