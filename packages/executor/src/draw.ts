import { hash } from 'node:crypto'

/** What one draw belongs to. */
export interface DrawKey {
  readonly jobId: string
  readonly attempt: number
  /** What is drawn: the name of a step and of what it decides. */
  readonly step: string
}

/**
 * A number in [0, 1) that depends on its key alone: the first 48 bits of SHA-256 over the text
 * `jobId ␊ attempt ␊ step`, as an unsigned integer, divided by 2^48. Not for anything secret.
 */
export function draw(key: DrawKey): number {
  const digest = hash('sha256', `${key.jobId}\n${key.attempt}\n${key.step}`, 'hex')
  return Number.parseInt(digest.slice(0, 12), 16) / 2 ** 48
}

/** A whole number drawn uniformly from [low, high], both ends possible. */
export function drawInteger(key: DrawKey, low: number, high: number): number {
  return low + Math.floor(draw(key) * (high - low + 1))
}
