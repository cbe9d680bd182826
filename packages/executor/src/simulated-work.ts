import { hash } from 'node:crypto'
import { builtInJobs, type JsonValue } from '@queue/core'

export type SimulatedKind = (typeof builtInJobs)[number]['kind']

/** The kinds that have simulated work: the built-in catalogue. */
export const simulatedKinds: readonly SimulatedKind[] = Object.freeze(
  builtInJobs.map((definition) => definition.kind),
)

/** Identifies one draw. */
export interface DrawKey {
  readonly jobId: string
  readonly attempt: number
  /** The name of the draw, such as `send/duration`. */
  readonly step: string
}

/**
 * A number in [0, 1) that depends only on its key: the first 48 bits of SHA-256 over the text `jobId ␊ attempt ␊ step`, as an
 * unsigned integer, divided by 2^48. Do not use it for secrets.
 */
export function draw(key: DrawKey): number {
  const digest = hash('sha256', `${key.jobId}\n${key.attempt}\n${key.step}`, 'hex')
  return Number.parseInt(digest.slice(0, 12), 16) / 2 ** 48
}

/** A whole number drawn uniformly from [low, high], both ends possible. */
export function drawInteger(key: DrawKey, low: number, high: number): number {
  return low + Math.floor(draw(key) * (high - low + 1))
}

/** One part of a job's work. It takes a whole number of milliseconds, drawn from [minMs, maxMs]. */
export interface SimulatedStep {
  readonly name: string
  readonly minMs: number
  readonly maxMs: number
}

/** The simulated work of one kind. */
export interface SimulatedWork {
  readonly steps: readonly SimulatedStep[]
  /** The chance, 0..1, that attempt 1 fails. */
  readonly failureRate: number
  /** The error message of a failed attempt. */
  readonly failureMessage: string
  /** The result of a succeeded attempt; `key` identifies its draws. */
  result(key: DrawKey): JsonValue
}

/** The default work: between 35 and 300 ms for a job. */
export const defaultWork: Readonly<Record<SimulatedKind, SimulatedWork>> = {
  send_email: {
    steps: [
      { name: 'connect', minMs: 10, maxMs: 30 },
      { name: 'send', minMs: 20, maxMs: 80 },
      { name: 'confirm', minMs: 5, maxMs: 20 },
    ],
    failureRate: 0.15,
    failureMessage: 'the mail server is busy (421)',
    result: ({ jobId }) => ({ message_id: `<${jobId}@mail.invalid>` }),
  },
  resize_image: {
    steps: [
      { name: 'download', minMs: 30, maxMs: 90 },
      { name: 'decode', minMs: 10, maxMs: 30 },
      { name: 'resize', minMs: 40, maxMs: 120 },
      { name: 'upload', minMs: 20, maxMs: 60 },
    ],
    failureRate: 0.15,
    failureMessage: 'the source did not answer in time',
    result: (key) => ({ bytes: drawInteger(key, 10_000, 500_000) }),
  },
  summarize_text: {
    steps: [
      { name: 'split', minMs: 5, maxMs: 20 },
      { name: 'rank', minMs: 40, maxMs: 160 },
      { name: 'compose', minMs: 30, maxMs: 90 },
    ],
    failureRate: 0.1,
    failureMessage: 'the model is overloaded',
    result: (key) => ({ sentences: drawInteger(key, 1, 5) }),
  },
  webhook_delivery: {
    steps: [
      { name: 'resolve', minMs: 5, maxMs: 20 },
      { name: 'connect', minMs: 10, maxMs: 40 },
      { name: 'deliver', minMs: 30, maxMs: 120 },
    ],
    failureRate: 0.3,
    failureMessage: 'the receiver answered 503',
    result: (key) => ({ status: drawInteger(key, 200, 204) }),
  },
}
