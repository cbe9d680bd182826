// What of the queue a caller may see and change: the condition that each of its statements has.
import { type RawBuilder, sql, type SqlBool } from 'kysely'
import type { QueueDatabase } from './connect.ts'

/** The bounds of a caller: all of them hold at once, and one that is absent bounds nothing. */
export interface Scope {
  /** Jobs of this tenant alone. */
  readonly tenantId?: string
  /** Jobs of these queues alone. */
  readonly queues?: readonly string[]
  /** Jobs of these kinds alone. */
  readonly kinds?: readonly string[]
}

/**
 * Whether a row, of a job or a dead letter, is in the scope: the one named `alias`, or the statement's only one.
 * Undefined where every row is.
 */
export function isWithin(
  { scope = everything }: Pick<QueueDatabase, 'scope'>,
  alias?: string,
): RawBuilder<SqlBool> | undefined {
  const { tenantId, queues, kinds } = scope
  const column = (name: string) => sql.ref(alias === undefined ? name : `${alias}.${name}`)
  const conditions = [
    ...(tenantId === undefined ? [] : [sql`${column('tenant_id')} = ${tenantId}`]),
    ...(queues === undefined ? [] : [sql`${column('queue')} = ANY(${queues}::text[])`]),
    ...(kinds === undefined ? [] : [sql`${column('kind')} = ANY(${kinds}::text[])`]),
  ]
  return conditions.length === 0 ? undefined : sql<SqlBool>`${sql.join(conditions, sql` AND `)}`
}

/**
 * Whether it is the tenant's of the scope, as a further condition: a known idempotency key is answered to everybody
 * whose key it is, and `assertOwn` says what becomes of a job beyond the other bounds.
 */
export function andWithinTenant({ scope }: QueueDatabase, alias: string): RawBuilder<unknown> {
  return scope?.tenantId === undefined
    ? sql``
    : sql` AND ${sql.ref(`${alias}.tenant_id`)} = ${scope.tenantId}`
}

/** The bounds that are left once an index has found the rows of the scope's tenant. */
export function beyondTenant({ scope = everything }: QueueDatabase): Pick<QueueDatabase, 'scope'> {
  const { tenantId: _, ...rest } = scope
  return { scope: rest }
}

const everything: Scope = {}

/** The same as a further condition of a statement, which is as it was where there is no scope. */
export function andWithin(database: QueueDatabase, alias: string): RawBuilder<unknown> {
  const condition = isWithin(database, alias)
  return condition === undefined ? sql`` : sql` AND ${condition}`
}
