import { type RawBuilder, sql } from 'kysely'
import { searchedValue } from '../database/metadata-rows.ts'
import type { SchemaNames } from '../database/schema-names.ts'
import { metadataSearchedLengthMax } from '../domain/limits.ts'
import type { JobMetadata } from '../domain/metadata.ts'

/** Ids from `from` on and below `below`. */
export interface IdBounds {
  readonly from: string
  readonly below: string
}

export interface MetadataSearch {
  readonly metadata: JobMetadata
  /** Undefined: jobs of all tenants, and of none. */
  readonly tenantId: string | undefined
  readonly bounds: IdBounds
}

/** The newest or the oldest ids of jobs that have the first member of some metadata, so many at most. */
export type MetadataScan = (rowsMax: number, direction?: 'ASC' | 'DESC') => RawBuilder<unknown>

/** Undefined without a member. The others are compared with the jobs themselves: see `conditionsOf`. */
export function idsByMetadata(
  { jobMetadata }: SchemaNames,
  { metadata, tenantId, bounds }: MetadataSearch,
): MetadataScan | undefined {
  const [member] = Object.entries(metadata)
  if (member === undefined) return undefined
  const [name, value] = member
  const found = searchedValue(textOf(value))
  return (rowsMax, direction = 'DESC') => {
    const way = sql.raw(direction)
    const ofTenant = (tenant: string) => sql`
        SELECT m.job_id AS id FROM ${jobMetadata} AS m
         WHERE ${within(sql`m.tenant_id, m.name, m.value, m.job_id`, [sql`${tenant}`, sql`${name}`, found], bounds)}
         ORDER BY m.tenant_id ${way}, m.name ${way}, m.value ${way}, m.job_id ${way} LIMIT ${sql.lit(rowsMax)}`
    if (tenantId !== undefined) return ofTenant(tenantId)
    const ofOthers = sql`
        SELECT m.job_id AS id FROM ${jobMetadata} AS m
         WHERE m.tenant_id <> '' AND ${within(sql`m.name, m.value, m.job_id`, [sql`${name}`, found], bounds)}
         ORDER BY m.name ${way}, m.value ${way}, m.job_id ${way} LIMIT ${sql.lit(rowsMax)}`
    return sql`
      SELECT m.id FROM ((${ofTenant('')}) UNION ALL (${ofOthers})) AS m ORDER BY m.id ${way} LIMIT ${sql.lit(rowsMax)}`
  }
}

/**
 * The key of an index is compared and ordered as a whole, as with the lists: the planner takes a value for rare, and would read and
 * sort all of its rows where it is not.
 */
function within(
  columns: RawBuilder<unknown>,
  key: readonly RawBuilder<unknown>[],
  { from, below }: IdBounds,
): RawBuilder<unknown> {
  const first = sql.join(key)
  return sql`(${columns}) >= (${first}, ${from}::uuid) AND (${columns}) < (${first}, ${below}::uuid)`
}

/**
 * What the ids leave to be asked of the job named `alias`: the other members, and a first one that is longer than what the index has
 * of it. Texts are compared, so that 42 and '42' are one.
 */
export function conditionsOf(metadata: JobMetadata, alias: string): RawBuilder<unknown>[] {
  return Object.entries(metadata)
    .filter(([, value], index) => index > 0 || !isWhole(value))
    .map(([name, value]) => sql`${sql.ref(`${alias}.metadata`)} ->> ${name}::text = ${textOf(value)}`)
}

/** Whether the index has all of it. A number with an exponent may have hundreds of digits. */
function isWhole(value: string | number | boolean): boolean {
  const text = String(value)
  return text.length <= metadataSearchedLengthMax && !(typeof value === 'number' && text.includes('e'))
}

/** A value as PostgreSQL writes it out. */
function textOf(value: string | number | boolean): RawBuilder<unknown> {
  return typeof value === 'number'
    ? sql`(${JSON.stringify(value)}::jsonb #>> '{}')`
    : sql`${String(value)}::text`
}
