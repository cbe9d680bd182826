import { createHash } from 'node:crypto'
import { canonicalJson } from './json.ts'

/**
 * The prefix of the idempotency keys of scheduled runs. Callers may not use it, so nobody can take the key of a run in
 * advance.
 */
export const runKeyPrefix = 'schedule:'

/** The parts of a request that must be equal for two requests with one idempotency key to count as the same. */
export interface FingerprintInput {
  readonly kind: string
  readonly queue: string
  readonly payload: unknown
}

/**
 * SHA-256 over kind, queue and the canonical payload. Names cannot contain a line break, so it separates the parts
 * unambiguously.
 */
export function fingerprint(input: FingerprintInput): Buffer {
  return createHash('sha256')
    .update(`${input.kind}\n${input.queue}\n${canonicalJson(input.payload)}`)
    .digest()
}
