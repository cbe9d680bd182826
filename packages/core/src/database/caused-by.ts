import { type RawBuilder, sql, type SqlBool } from 'kysely'
import type { Fingerprints } from '../domain/fingerprint.ts'

/** That the column has one of these causes. */
export function isCausedBy(column: RawBuilder<unknown>, fingerprints: Fingerprints): RawBuilder<SqlBool> {
  return typeof fingerprints === 'string'
    ? sql`${column} = ${fingerprints}`
    : sql`${column} = ANY(${fingerprints}::text[])`
}
