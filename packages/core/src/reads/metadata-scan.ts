import { type RawBuilder, sql } from 'kysely'
import { searchedValue } from '../database/metadata-rows.ts'
import type { SchemaNames } from '../database/schema-names.ts'
import { metadataSearchedLengthMax } from '../domain/limits.ts'
import type { JobMetadata } from '../domain/metadata.ts'

/** Ids at or above `from` and below `below`. */
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

/** A select of the newest or the oldest ids of jobs that have the first member of the metadata, at most this many. */
export type MetadataScan = (rowsMax: number, direction?: 'ASC' | 'DESC') => RawBuilder<unknown>

/** The scan of ids by metadata; undefined where there is none. It uses only the first member: see `beyondIndex`. */
export function idsByMetadata(
  { jobMetadata }: SchemaNames,
  { metadata, tenantId, bounds }: MetadataSearch,
): MetadataScan | undefined {
  const [member] = Object.entries(metadata)
  if (member === undefined) return undefined
  const [name, value] = member
  const searched = searchedValue(textOf(value))
  return (rowsMax, direction = 'DESC') => {
    const directionSql = sql.raw(direction)
    const ofTenant = (tenant: string) => sql`
        SELECT m.job_id AS id FROM ${jobMetadata} AS m
         WHERE ${keyWithin(sql`m.tenant_id, m.name, m.value, m.job_id`, [sql`${tenant}`, sql`${name}`, searched], bounds)}
         ORDER BY m.tenant_id ${directionSql}, m.name ${directionSql}, m.value ${directionSql}, m.job_id ${directionSql} LIMIT ${sql.lit(rowsMax)}`
    if (tenantId !== undefined) return ofTenant(tenantId)
    const ofOthers = sql`
        SELECT m.job_id AS id FROM ${jobMetadata} AS m
         WHERE m.tenant_id <> '' AND ${keyWithin(sql`m.name, m.value, m.job_id`, [sql`${name}`, searched], bounds)}
         ORDER BY m.name ${directionSql}, m.value ${directionSql}, m.job_id ${directionSql} LIMIT ${sql.lit(rowsMax)}`
    return sql`
      SELECT m.id FROM ((${ofTenant('')}) UNION ALL (${ofOthers})) AS m ORDER BY m.id ${directionSql} LIMIT ${sql.lit(rowsMax)}`
  }
}

/**
 * Compares the index key as a whole, as in the lists: the planner expects a value to be rare, and would otherwise read
 * and sort all of its rows where it is not.
 */
function keyWithin(
  columns: RawBuilder<unknown>,
  key: readonly RawBuilder<unknown>[],
  { from, below }: IdBounds,
): RawBuilder<unknown> {
  const first = sql.join(key)
  return sql`(${columns}) >= (${first}, ${from}::uuid) AND (${columns}) < (${first}, ${below}::uuid)`
}

/** The conditions on the metadata of the job named `alias`. Values are compared as texts, so 42 equals '42'. */
export function metadataConditions(metadata: JobMetadata, alias: string): RawBuilder<unknown>[] {
  return Object.entries(metadata).map(
    ([name, value]) => sql`${sql.ref(`${alias}.metadata`)} ->> ${name}::text = ${textOf(value)}`,
  )
}

/**
 * The members that the scan of ids leaves to be tested on each job: all but the first, and the first too where the index
 * may hold only the beginning of a value.
 */
export function beyondIndex(metadata: JobMetadata): JobMetadata {
  return Object.fromEntries(
    Object.entries(metadata).filter(([, value], index) => index > 0 || !isFullyIndexed(value)),
  )
}

/**
 * Whether the index holds the whole value, and no longer value can begin with it. A number with an exponent may have
 * hundreds of digits.
 */
function isFullyIndexed(value: string | number | boolean): boolean {
  const text = String(value)
  return text.length < metadataSearchedLengthMax && !(typeof value === 'number' && text.includes('e'))
}

/** The text of a value as PostgreSQL writes it. */
function textOf(value: string | number | boolean): RawBuilder<unknown> {
  return typeof value === 'number'
    ? sql`(${JSON.stringify(value)}::jsonb #>> '{}')`
    : sql`${String(value)}::text`
}
