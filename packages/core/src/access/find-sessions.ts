import { epochMs } from '@queue/postgres'
import { sql } from 'kysely'
import type { QueueDatabase } from '../database/connect.ts'
import type { Claims } from './create-session.ts'

/** A session that has not expired. */
export interface StoredSession {
  /** The key that opened it; null: the token or an issuer did. */
  readonly keyId: string | null
  /** A proof of the token that opened it. */
  readonly tokenProof: Buffer | null
  /** The claims of the issuer about the subject that opened it. */
  readonly claims: Claims | null
  readonly expiresAt: Date
  /** Milliseconds until it expires, by the database's clock. */
  readonly expiresInMs: number
}

interface Row {
  readonly id: string
  readonly key_id: string | null
  readonly token_proof: string | null
  readonly claims: string | null
  readonly expires_at: number
  readonly expires_in_ms: number
}

/** The unexpired sessions among these ids, by the id as hexadecimal digits. */
export async function findSessions(
  database: QueueDatabase,
  ids: readonly Buffer[],
): Promise<ReadonlyMap<string, StoredSession>> {
  const rows = await database.run(sql<Row>`
    SELECT encode(s.id, 'hex') AS id, s.key_id, encode(s.token_proof, 'hex') AS token_proof, s.claims::text AS claims, ${epochMs(sql`s.expires_at`)} AS expires_at,
           ${epochMs(sql`s.expires_at`)} - ${epochMs(sql`now()`)} AS expires_in_ms
      FROM ${sql.id(database.schema, 'api_sessions')} AS s WHERE s.id = ANY(${ids}::bytea[]) AND s.expires_at > now()`)
  return new Map(rows.map((row) => [row.id, sessionOf(row)]))
}

function sessionOf(row: Row): StoredSession {
  return {
    keyId: row.key_id,
    tokenProof: row.token_proof === null ? null : Buffer.from(row.token_proof, 'hex'),
    claims: row.claims === null ? null : (JSON.parse(row.claims) as Claims),
    expiresAt: new Date(row.expires_at),
    expiresInMs: row.expires_in_ms,
  }
}
