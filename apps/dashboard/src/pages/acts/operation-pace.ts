import type { Operation } from '@queue/client'
import { processedCount } from '../../acts/operation-acts.ts'
import { formatCount, formatSpan } from '../../ui/format.ts'

/** The average rate of an operation, and the remaining time. */
export interface OperationPace {
  /** As `12 per second`. */
  readonly rate: string
  /** As `about 4 min`; undefined if unknown, or if the operation has ended. */
  readonly left: string | undefined
}

export function paceOf(operation: Operation, nowMs: number): OperationPace {
  const { created_at: createdAt, finished_at: finishedAt, expected, expected_is_least: isLeast } = operation
  const done = processedCount(operation)
  const untilMs = finishedAt === null ? nowMs : Date.parse(finishedAt)
  const perSecond = (1_000 * done) / Math.max(1, untilMs - Date.parse(createdAt))
  const isKnown = finishedAt === null && done > 0 && !isLeast
  return {
    rate: `${perSecond < 10 ? perSecond.toFixed(1) : formatCount(Math.round(perSecond))} per second`,
    left: isKnown ? `about ${formatSpan(Math.max(0, (1_000 * (expected - done)) / perSecond))}` : undefined,
  }
}
