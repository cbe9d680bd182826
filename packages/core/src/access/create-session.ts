import { sql } from 'kysely'
import type { QueueDatabase } from '../database/connect.ts'

export interface NewSession {
  /** The digest of what its cookie holds, which is kept nowhere. */
  readonly id: Buffer
  /** What it was opened with: a key by its id, or proof of the token. */
  readonly credential: { readonly keyId: string } | { readonly tokenProof: Buffer }
  /** Milliseconds from now. */
  readonly expiresInMs: number
}

/** Writes a session, and removes those that have expired. */
export async function createSession(database: QueueDatabase, session: NewSession): Promise<void> {
  const sessions = sql.id(database.schema, 'api_sessions')
  const { id, credential, expiresInMs } = session
  const keyId = 'keyId' in credential ? credential.keyId : null
  const tokenProof = 'tokenProof' in credential ? credential.tokenProof : null
  await database.run(sql`
    WITH expired AS (DELETE FROM ${sessions} WHERE expires_at <= now())
    INSERT INTO ${sessions} (id, key_id, token_proof, expires_at)
    VALUES (${id}, ${keyId}, ${tokenProof}, now() + ${expiresInMs}::float8 * interval '1 millisecond')
    ON CONFLICT (id) DO NOTHING`)
}
