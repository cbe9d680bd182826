import type { Operation } from '@queue/client'
import { processedCount } from '../acts/operation-acts.ts'
import { formatCount, formatSpan } from '../ui/format.ts'

/** How fast an operation has gone on average, and how long it takes still. */
export interface OperationPace {
  /** As `12 a second`. */
  readonly rate: string
  /** As `about 4 min`; undefined where that is not known, or it has ended. */
  readonly left: string | undefined
}

export function paceOf(operation: Operation, nowMs: number): OperationPace {
  const { created_at: createdAt, finished_at: finishedAt, expected, expected_is_least: isLeast } = operation
  const done = processedCount(operation)
  const untilMs = finishedAt === null ? nowMs : Date.parse(finishedAt)
  const perSecond = (1_000 * done) / Math.max(1, untilMs - Date.parse(createdAt))
  const isKnown = finishedAt === null && done > 0 && !isLeast
  return {
    rate: `${perSecond < 10 ? perSecond.toFixed(1) : formatCount(Math.round(perSecond))} a second`,
    left: isKnown ? `about ${formatSpan(Math.max(0, (1_000 * (expected - done)) / perSecond))}` : undefined,
  }
}
