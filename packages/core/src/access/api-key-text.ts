import { createHash } from 'node:crypto'
import { crc32 } from 'node:zlib'

/** The parts of a presented key that are checked: its id, and the digest of its secret. */
export interface PresentedKey {
  readonly id: string
  readonly digest: Buffer
}

export const keyIdLength = 8
export const keySecretBytes = 32

const keyPattern = /^(queue_([a-z0-9]{8})_([A-Za-z0-9_-]{43}))([0-9a-f]{8})$/

/** Whether text has the form of a key's id. Other text may contain characters that PostgreSQL does not accept. */
export function isKeyId(text: string): boolean {
  return /^[a-z0-9]{8}$/.test(text)
}

/**
 * The text of a key: `queue_<id>_<secret as base64url><checksum>`. The checksum lets scanners for leaked secrets
 * recognise it.
 */
export function formatApiKey(id: string, secret: Buffer): string {
  const body = `queue_${id}_${secret.toString('base64url')}`
  return `${body}${checksum(body)}`
}

/** The key in a credential; undefined where the text is not a key. */
export function parseApiKey(text: string): PresentedKey | undefined {
  const [, body = '', id = '', secret = '', presentedChecksum] = keyPattern.exec(text) ?? []
  if (presentedChecksum === undefined || checksum(body) !== presentedChecksum) return undefined
  return { id, digest: digestSecret(Buffer.from(secret, 'base64url')) }
}

/** The stored digest of a secret. A secret has 256 random bits, so a slow hash would not make it harder to guess. */
export function digestSecret(secret: Buffer): Buffer {
  return createHash('sha256').update(secret).digest()
}

function checksum(body: string): string {
  return crc32(body).toString(16).padStart(8, '0')
}
