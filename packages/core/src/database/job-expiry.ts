import { type RawBuilder, sql } from 'kysely'
import type { SchemaNames } from './schema-names.ts'

/**
 * Whether the job `alias` ends as expired because it cannot start before `instant`. A job that has started once has no
 * expiry any more, whatever its row says.
 */
export function expiresBy(
  { status }: SchemaNames,
  alias: string,
  instant: RawBuilder<unknown>,
): RawBuilder<boolean> {
  return sql`(${sql.ref(`${alias}.status`)} = ${status.queued} AND coalesce(${sql.ref(`${alias}.expires_at`)} <= ${instant}, false))`
}
