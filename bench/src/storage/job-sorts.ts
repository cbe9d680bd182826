import { randomBytes } from 'node:crypto'
import { defineJob, type JobOptions } from '@queue/core'
import { z } from 'zod'

export const storedJob = defineJob({ kind: 'stored', payload: z.object({ text: z.string() }) })

/** A sort of jobs whose life is measured. */
export interface JobSort {
  readonly name: string
  /** The length of the payload's JSON text in bytes. */
  readonly payloadBytes: number
  /** The options of the nth job. */
  readonly options?: (n: number) => JobOptions
  /** The JSON text of each job's result. */
  readonly resultText?: string
  /** Whether each job reports progress once. */
  readonly hasProgress?: true
}

/** The length of a small payload's JSON text. */
export const smallBytes = 33

export const jobSorts: readonly JobSort[] = [
  { name: 'small payload', payloadBytes: smallBytes },
  {
    name: 'tenant and idempotency key',
    payloadBytes: smallBytes,
    options: (n) => ({ tenantId: `tenant-${n % 100}`, idempotencyKey: `key-${n}` }),
  },
  {
    name: 'result and progress',
    payloadBytes: smallBytes,
    resultText: JSON.stringify({ text: 'a result of the usual length' }),
    hasProgress: true,
  },
  ...[400, 511, 512, 1_000, 8_000].map((payloadBytes) => ({
    name: `payload of ${payloadBytes} B`,
    payloadBytes,
  })),
]

const frameBytes = JSON.stringify({ text: '' }).length

/** A payload whose JSON text has this length. Its letters are random, because equal ones would be compressed. */
export function payloadOf(bytes: number): { readonly text: string } {
  const letters = bytes - frameBytes
  return { text: randomBytes(letters).toString('base64url').slice(0, letters) }
}
