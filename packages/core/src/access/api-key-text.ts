import { createHash } from 'node:crypto'
import { crc32 } from 'node:zlib'

/** What a key says of itself: which one it is, and the digest of its secret. */
export interface PresentedKey {
  readonly id: string
  readonly digest: Buffer
}

export const keyIdLength = 8
export const keySecretBytes = 32

const keyPattern = /^(queue_([a-z0-9]{8})_([A-Za-z0-9_-]{43}))([0-9a-f]{8})$/

/** Whether text could be the id of a key: other text may be such as PostgreSQL cannot take. */
export function isKeyId(text: string): boolean {
  return /^[a-z0-9]{8}$/.test(text)
}

/** `queue_<id>_<secret as base64url><checksum>`: the checksum lets scanners for leaked secrets tell it from chance. */
export function formatApiKey(id: string, secret: Buffer): string {
  const body = `queue_${id}_${secret.toString('base64url')}`
  return `${body}${checksum(body)}`
}

/** What a credential presents, or undefined when it is no key at all. */
export function parseApiKey(text: string): PresentedKey | undefined {
  const [, body = '', id = '', secret = '', given] = keyPattern.exec(text) ?? []
  if (given === undefined || checksum(body) !== given) return undefined
  return { id, digest: digestSecret(Buffer.from(secret, 'base64url')) }
}

/** What is kept of a secret. It is 256 random bits: no slow hash makes those harder to guess. */
export function digestSecret(secret: Buffer): Buffer {
  return createHash('sha256').update(secret).digest()
}

function checksum(body: string): string {
  return crc32(body).toString(16).padStart(8, '0')
}
