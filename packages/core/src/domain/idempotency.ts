import { createHash } from 'node:crypto'
import { canonicalJson } from './json.ts'

/** What makes two requests with one key "the same request". */
export interface FingerprintInput {
  readonly kind: string
  readonly queue: string
  readonly payload: unknown
}

/** SHA-256 over kind, queue and the canonical payload. Names cannot contain a line break, so the parts stay apart. */
export function fingerprint(input: FingerprintInput): Buffer {
  return createHash('sha256')
    .update(`${input.kind}\n${input.queue}\n${canonicalJson(input.payload)}`)
    .digest()
}
