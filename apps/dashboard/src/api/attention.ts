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
  // Whoever may see schedules sees each by its name.
  const isNamed = ({ condition }: Attention): boolean =>
    condition === 'schedules_stopped' && stopped.length > 0
  const items = (conditions.data ?? []).filter((item) => !isNamed(item))
  return {
    items,
    stopped: stopped as readonly Schedule[],
    /** How many need somebody soon: what is only kept for later is not among them. */
    count: items.filter(({ severity }) => severity !== 'info').length + stopped.length,
    query: conditions,
  }
}
