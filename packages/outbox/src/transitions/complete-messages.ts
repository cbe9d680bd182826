// The common part of the statements that end attempts: the fence, the order of the locks, and the answer after a lost reply.
import { type RawBuilder, sql } from 'kysely'
import type { OutboxDatabase, OutboxNames } from '../database/outbox-database.ts'
import type { MessageLease } from '../domain/message.ts'

/**
 * The outcome of one fenced write. `lease_lost`: the message belongs to another lease, and nothing was changed. `completed`: the
 * write is recorded, by this call or by an earlier one whose reply was lost.
 */
export type Completion = 'completed' | 'lease_lost'

/** A write by the holder of a lease. */
export interface Held {
  readonly lease: MessageLease
}

export interface MessageTransition {
  /** `unnest(…) AS i (id, lease_token, …)`, in the order in which the rows are locked. */
  readonly input: RawBuilder<unknown>
  /** The columns of `input` beyond id and lease_token. */
  readonly inputColumns: readonly string[]
  /** Data-modifying statements on the rows of `held`. The last one is named `ended` and returns id and lease_token. */
  readonly change: (names: OutboxNames) => RawBuilder<unknown>
}

/**
 * Ends the attempts of `writes` in one statement, each fenced by its lease token, with the rows locked in the order of their ids.
 * Returns the outcomes in the order of the writes.
 */
export async function completeMessages<Write extends Held>(
  database: OutboxDatabase,
  writes: readonly Write[],
  transition: (sorted: readonly Write[]) => MessageTransition,
): Promise<Completion[]> {
  if (writes.length === 0) return []
  const ended = await database.run(completionStatement(database.names, transition(writes.toSorted(byId))))
  const completed = new Set(ended.map(({ id, lease_token: token }) => leaseKey(id, token)))
  const isMissing = ({ lease }: Held): boolean => !completed.has(leaseKey(lease.id, lease.token))
  for (const key of await findCompleted(database, writes.filter(isMissing))) completed.add(key)
  return writes.map((write) => (isMissing(write) ? 'lease_lost' : 'completed'))
}

function byId(a: Held, b: Held): number {
  return a.lease.id < b.lease.id ? -1 : a.lease.id > b.lease.id ? 1 : 0
}

interface EndedRow {
  readonly id: string
  readonly lease_token: string
}

/** Each row is found and locked by its own lookup, because a join would let the planner read the whole table. */
function completionStatement(names: OutboxNames, transition: MessageTransition): RawBuilder<EndedRow> {
  const carried = transition.inputColumns.map((column) => sql`, i.${sql.id(column)}`)
  return sql<EndedRow>`
    WITH held AS MATERIALIZED (
      SELECT m.* ${sql.join(carried, sql``)}
        FROM ${transition.input}
       CROSS JOIN LATERAL (
         SELECT m.* FROM ${names.messages} AS m
          WHERE m.id = i.id AND m.lease_token = i.lease_token AND m.leased_by IS NOT NULL
            FOR UPDATE
       ) AS m
    ), ${transition.change(names)}
    SELECT id, lease_token::text AS lease_token FROM ended`
}

/** The condition with which a statement changes exactly the rows of `held`, found by the primary key. */
export const isHeld = sql`m.id = h.id AND m.id = ANY(ARRAY(SELECT held.id FROM held))`

/**
 * Finds the writes that an earlier call has already recorded, whose reply was lost: a message with the token of this lease that
 * is no longer held has been completed under it. A dead letter keeps the token of its message.
 */
async function findCompleted(database: OutboxDatabase, writes: readonly Held[]): Promise<string[]> {
  if (writes.length === 0) return []
  const { names } = database
  const rows = await database.run(sql<EndedRow>`
    SELECT i.id, i.lease_token::text AS lease_token
      FROM ${leaseInput(writes)}
     CROSS JOIN LATERAL (
       (SELECT FROM ${names.messages} AS m
         WHERE m.id = i.id AND m.lease_token = i.lease_token AND m.leased_by IS NULL OFFSET 0)
       UNION ALL
       (SELECT FROM ${names.deadLetters} AS d WHERE d.id = i.id AND d.lease_token = i.lease_token OFFSET 0)
     ) AS recorded`)
  return rows.map(({ id, lease_token: token }) => leaseKey(id, token))
}

function leaseKey(id: string, token: number | string): string {
  return `${id}:${token}`
}

/** Only the leases, as the input of a transition that needs no other values. */
export function leaseInput(writes: readonly Held[]): RawBuilder<unknown> {
  return sql`unnest(${leaseIds(writes)}::uuid[], ${leaseTokens(writes)}::bigint[]) AS i (id, lease_token)`
}

export function leaseIds(writes: readonly Held[]): string[] {
  return writes.map((write) => write.lease.id)
}

export function leaseTokens(writes: readonly Held[]): number[] {
  return writes.map((write) => write.lease.token)
}
