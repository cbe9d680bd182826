import { limits } from '@queue/core'
import { describeError, storableText } from '@queue/core/runtime'

/** How far an attempt is, as the database can hold it. */
export interface Progress {
  /** 0..100, whole. */
  readonly percent: number
  readonly message: string | null
}

/** What a handler reported, brought into bounds whatever it passed: its progress must not fail its job. */
export function progressOf(percent: unknown, message: unknown): Progress {
  return { percent: wholePercent(percent), message: shortText(message) }
}

function wholePercent(percent: unknown): number {
  if (typeof percent !== 'number' || Number.isNaN(percent)) return 0
  return Math.min(100, Math.max(0, Math.round(percent)))
}

function shortText(message: unknown): string | null {
  if (message === undefined || message === null) return null
  const text = typeof message === 'string' ? message : describeError(message)
  return storableText(text, limits.progressMessageLengthMax)
}
