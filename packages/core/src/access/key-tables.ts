import { type RawBuilder, sql } from 'kysely'
import type { QueueDatabase } from '../database/connect.ts'

/** The qualified names of the tables of keys. */
export function keyTables({ schema }: QueueDatabase): {
  readonly keys: RawBuilder<unknown>
  readonly revocations: RawBuilder<unknown>
} {
  return { keys: sql.id(schema, 'api_keys'), revocations: sql.id(schema, 'api_key_revocations') }
}
