import { createHash } from 'node:crypto'
import { canonicalJson } from './json.ts'

/** The keys of the runs of schedules begin so, and no other key: nobody can take that of a run in advance. */
export const runKeyPrefix = 'schedule:'

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
