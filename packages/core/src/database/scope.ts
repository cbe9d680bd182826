// The condition that every statement of a bounded caller has: it sees and changes only the rows within its scope.
import { type RawBuilder, sql, type SqlBool } from 'kysely'

/** The bounds of a caller. All of them hold at once; an absent one bounds nothing. */
export interface Scope {
  /** Only jobs of this tenant. */
  readonly tenantId?: string
  /** Only jobs of these queues. */
  readonly queues?: readonly string[]
  /** Only jobs of these kinds. */
  readonly kinds?: readonly string[]
}

/** What is restricted to the bounds of a caller. */
export interface Scoped {
  /** The bounds of the caller; absent: none. */
  readonly scope?: Scope | undefined
}

/**
 * The condition that a row, of a job or a dead letter, is in the scope: the row named `alias`, or the only one of the
 * statement. Undefined where every row is.
 */
export function isWithin({ scope = unbounded }: Scoped, alias?: string): RawBuilder<SqlBool> | undefined {
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
 * The condition, begun with AND, that a row belongs to the tenant of the scope. The other bounds are left out, because
 * a known idempotency key is answered within the whole tenant; `assertOwn` decides what happens to a job beyond them.
 */
export function andWithinTenant({ scope }: Scoped, alias: string): RawBuilder<unknown> {
  return scope?.tenantId === undefined
    ? sql``
    : sql` AND ${sql.ref(`${alias}.tenant_id`)} = ${scope.tenantId}`
}

/** The scope without its tenant, for rows that an index has already found by the tenant. */
export function withoutTenant({ scope = unbounded }: Scoped): Scoped {
  const { tenantId: _, ...rest } = scope
  return { scope: rest }
}

const unbounded: Scope = {}

/** The condition of `isWithin`, begun with AND; empty where there is no scope. */
export function andWithin(database: Scoped, alias: string): RawBuilder<unknown> {
  const condition = isWithin(database, alias)
  return condition === undefined ? sql`` : sql` AND ${condition}`
}
