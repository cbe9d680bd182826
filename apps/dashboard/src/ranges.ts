import type { StatsQuery } from '@queue/client'

export const hourMs = 3_600_000
export const dayMs = 24 * hourMs
/** The ranges that can be selected, and the step of each. */
export const ranges = {
  '1h': { label: '1 h', ms: hourMs, step: 'minute' },
  '24h': { label: '24 h', ms: dayMs, step: 'hour' },
  '7d': { label: '7 d', ms: 7 * dayMs, step: 'hour' },
  '30d': { label: '30 d', ms: 30 * dayMs, step: 'day' },
} as const satisfies Record<
  string,
  { readonly label: string; readonly ms: number; readonly step: NonNullable<StatsQuery['step']> }
>

export type RangeName = keyof typeof ranges

export const rangeNames = Object.keys(ranges) as readonly RangeName[]
