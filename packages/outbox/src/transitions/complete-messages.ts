// What the ends of attempts have in common: the fence, the order of the locks, and the answer to a lost reply.
import { type RawBuilder, sql } from 'kysely'
import type { OutboxDatabase, OutboxNames } from '../database/outbox-database.ts'
import type { MessageLease } from '../domain/message.ts'

/**
 * What became of one fenced write. `lease_lost`: the message is in other hands, and nothing was changed. `completed`:
 * it is recorded, by this call or by an earlier one whose reply was lost.
 */
export type Completion = 'completed' | 'lease_lost'

/** A write by the holder of a lease. */
export interface Held {
  readonly lease: MessageLease
}

export interface MessageTransition {
  /** `unnest(…) AS i (id, lease_token, …)`, in the order in which the rows are to be locked. */
  readonly input: RawBuilder<unknown>
  /** The names that `input` has beyond id and lease_token. */
  readonly inputColumns: readonly string[]
  /**
   * Data-modifying statements on the rows of `held`, the last of them named `ended` and giving id and lease_token.
   */
  readonly change: (names: OutboxNames) => RawBuilder<unknown>
}

/**
 * Ends the attempts of `writes` in one statement, each fenced by its lease token, rows locked in id order. The answers
 * have the order of the writes.
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

/** Each row is found and locked by a look-up of its own: a join would let the planner read the whole table. */
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

/** The condition by which a statement changes exactly the rows of `held`, found by the primary key. */
export const isHeld = sql`m.id = h.id AND m.id = ANY(ARRAY(SELECT held.id FROM held))`

/**
 * A message that nobody holds under the token of this very lease has been completed under it: an earlier reply was
 * lost. A dead-lettered one has left the table and keeps its token in the dead letter.
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

/** The leases alone, as the input of a transition that carries nothing else. */
export function leaseInput(writes: readonly Held[]): RawBuilder<unknown> {
  return sql`unnest(${leaseIds(writes)}::uuid[], ${leaseTokens(writes)}::bigint[]) AS i (id, lease_token)`
}

export function leaseIds(writes: readonly Held[]): string[] {
  return writes.map((write) => write.lease.id)
}

export function leaseTokens(writes: readonly Held[]): number[] {
  return writes.map((write) => write.lease.token)
}
