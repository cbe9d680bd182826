import { sql } from 'kysely'
import type { QueueDatabase } from '../database/connect.ts'

/** The claims of an issuer about a subject. */
export type Claims = Readonly<Record<string, unknown>>

export interface NewSession {
  /** The digest of the cookie's content, which itself is not stored. */
  readonly id: Buffer
  /** The credential that opened it: the id of a key, a proof of the token, or the claims of an issuer about a subject. */
  readonly credential:
    | { readonly keyId: string }
    | { readonly tokenProof: Buffer }
    | { readonly claims: Claims }
  /** Milliseconds from now. */
  readonly expiresInMs: number
}

/** Writes a session, and removes the expired ones. */
export async function createSession(database: QueueDatabase, session: NewSession): Promise<void> {
  const sessions = sql.id(database.schema, 'api_sessions')
  const { id, credential, expiresInMs } = session
  const keyId = 'keyId' in credential ? credential.keyId : null
  const tokenProof = 'tokenProof' in credential ? credential.tokenProof : null
  const claims = 'claims' in credential ? JSON.stringify(credential.claims) : null
  await database.run(sql`
    WITH expired AS (DELETE FROM ${sessions} WHERE expires_at <= now())
    INSERT INTO ${sessions} (id, key_id, token_proof, claims, expires_at)
    VALUES (${id}, ${keyId}, ${tokenProof}, ${claims}::jsonb, now() + ${expiresInMs}::float8 * interval '1 millisecond')
    ON CONFLICT (id) DO NOTHING`)
}
