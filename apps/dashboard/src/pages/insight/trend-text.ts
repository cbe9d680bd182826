import type { ErrorList } from '@queue/client'
import { formatCount, formatInstant, formatSpan, plural } from '../../ui/format.ts'

/** The range of the failure counts. */
export type CountedRange = NonNullable<ErrorList['range']>

/** The start of each step of a trend, in milliseconds since 1970. */
export function pointsOf({ from, step_ms: stepMs }: CountedRange, count: number): readonly number[] {
  return Array.from({ length: count }, (_, index) => Date.parse(from) + index * stepMs)
}

/** Whether the last step is still in progress. */
export function isOpenAfter(range: CountedRange, points: number): boolean {
  return Date.parse(range.from) + points * range.step_ms > Date.parse(range.to)
}

/** A trend as text: the total, the peak, and the last step. */
export function trendText(
  trend: readonly number[],
  { range, zone }: { readonly range: CountedRange; readonly zone: 'local' | 'utc' },
): string {
  const total = trend.reduce((sum, count) => sum + count, 0)
  const peakCount = Math.max(0, ...trend)
  const step = formatSpan(range.step_ms)
  const at = pointsOf(range, trend.length)[trend.indexOf(peakCount)]
  if (total === 0 || at === undefined) return 'No failures'
  const peak = formatInstant(new Date(at).toISOString(), zone).slice(5, 16)
  return `${plural(total, 'failure')}. Peak: ${formatCount(peakCount)} in ${step} from ${peak}. Last ${step}: ${formatCount(trend.at(-1) ?? 0)}.`
}
