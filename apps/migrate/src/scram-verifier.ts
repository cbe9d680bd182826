import { createHash, createHmac, pbkdf2Sync, randomBytes } from 'node:crypto'

/** The default of PostgreSQL (scram_iterations). */
const iterations = 4_096
const saltBytes = 16
const keyBytes = 32

/**
 * The SCRAM-SHA-256 verifier of a password (RFC 5803, in the form that PostgreSQL stores), so that the password itself
 * is never sent to the server. Only for printable ASCII, which SASLprep (RFC 4013) does not change.
 */
export function scramVerifier(password: string, salt: Buffer = randomBytes(saltBytes)): string {
  const salted = pbkdf2Sync(password, salt, iterations, keyBytes, 'sha256')
  const clientKey = createHmac('sha256', salted).update('Client Key').digest()
  const storedKey = createHash('sha256').update(clientKey).digest('base64')
  const serverKey = createHmac('sha256', salted).update('Server Key').digest('base64')
  return `SCRAM-SHA-256$${iterations}:${salt.toString('base64')}$${storedKey}:${serverKey}`
}
