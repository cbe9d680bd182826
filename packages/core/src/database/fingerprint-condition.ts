import { type RawBuilder, sql, type SqlBool } from 'kysely'
import type { Fingerprints } from '../domain/fingerprint.ts'

/** A condition: the column holds one of these fingerprints. */
export function hasFingerprint(column: RawBuilder<unknown>, fingerprints: Fingerprints): RawBuilder<SqlBool> {
  return typeof fingerprints === 'string'
    ? sql`${column} = ${fingerprints}`
    : sql`${column} = ANY(${fingerprints}::text[])`
}
