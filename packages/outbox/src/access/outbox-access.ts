import type { Access } from '@queue/postgres'

/**
 * The processes that may connect to an outbox with a role of their own. `publisher` is the service with `createOutbox`,
 * which also looks after the dead letters; `relay` is whoever delivers; `readonly` is for people and dashboards. The
 * owner of the tables is none of them: it migrates.
 */
export const outboxProcesses = ['publisher', 'relay', 'readonly'] as const

export type OutboxProcess = (typeof outboxProcesses)[number]

const read = { SELECT: 'all' } as const

/** What a publish writes. The order, the attempts and the lease of a new message are the table's defaults. */
const published = ['id', 'topic', 'key', 'payload', 'headers'] as const

/**
 * What each process may do with the outbox: what its statements need, and no more. Without UPDATE and DELETE of
 * messages, `publisher` cannot take back, hide or rewrite what its transaction has committed; `relay` cannot make a
 * message, nor change what one says, to whom, or in which order. `publisher` may update one column of a dead letter
 * that decides nothing, because the lock by which a requeue takes dead letters demands UPDATE of some column.
 */
export const outboxAccess: Access<OutboxProcess> = {
  processes: outboxProcesses,
  seeSessions: [],
  matrix: {
    outbox_messages: {
      publisher: {
        SELECT: 'all',
        // The second line: a dead letter that is requeued comes back with what it had.
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
