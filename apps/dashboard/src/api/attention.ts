import { useQuery } from '@tanstack/react-query'
import type { Attention, Schedule } from '@queue/client'
import { useMay } from '../shell/me.tsx'
import { queries } from './queries.ts'

/** What needs somebody now, as far as whoever looks may know: nothing is known without `ops:read`. */
export function useAttention() {
  const may = useMay()
  const conditions = useQuery({ ...queries.attention, enabled: may('ops:read') })
  const schedules = useQuery({ ...queries.schedules, enabled: may('schedules:read') })
  const stopped = (schedules.data ?? []).filter(({ paused_reason: reason }) => reason !== null)
  const items: readonly Attention[] = conditions.data ?? []
  return {
    items,
    stopped: stopped as readonly Schedule[],
    /** How many need somebody soon: what is only kept for later is not among them. */
    count: items.filter(({ severity }) => severity !== 'info').length + stopped.length,
    query: conditions,
  }
}
