import { epochMs } from '@queue/postgres'
import { sql } from 'kysely'
import type { QueueDatabase } from '../database/connect.ts'

/** A session that has not expired. */
export interface StoredSession {
  /** The key that it was opened with; null: the token. */
  readonly keyId: string | null
  /** Proof of the token that it was opened with. */
  readonly tokenProof: Buffer | null
  readonly expiresAt: Date
  /** Milliseconds until then, by the clock of the database. */
  readonly expiresInMs: number
}

interface Row {
  readonly key_id: string | null
  readonly token_proof: Buffer | null
  readonly expires_at: number
  readonly expires_in_ms: number
}

/** The session with this id; undefined when there is none, or it has expired. */
export async function findSession(database: QueueDatabase, id: Buffer): Promise<StoredSession | undefined> {
  const [row] = await database.run(sql<Row>`
    SELECT s.key_id, s.token_proof, ${epochMs(sql`s.expires_at`)} AS expires_at,
           ${epochMs(sql`s.expires_at`)} - ${epochMs(sql`now()`)} AS expires_in_ms
      FROM ${sql.id(database.schema, 'api_sessions')} AS s WHERE s.id = ${id} AND s.expires_at > now()`)
  return (
    row && {
      keyId: row.key_id,
      tokenProof: row.token_proof,
      expiresAt: new Date(row.expires_at),
      expiresInMs: row.expires_in_ms,
    }
  )
}
