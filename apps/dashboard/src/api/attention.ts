import { useQuery } from '@tanstack/react-query'
import type { Attention, Schedule } from '@queue/client'
import { useMay } from '../shell/me.tsx'
import { queries } from './queries.ts'

/** The conditions that need attention now. Callers without `ops:read` see none. */
export function useAttention() {
  const may = useMay()
  const conditions = useQuery({ ...queries.attention, enabled: may('ops:read') })
  const schedules = useQuery({ ...queries.schedules, enabled: may('schedules:read') })
  const stopped = (schedules.data ?? []).filter(({ paused_reason: reason }) => reason !== null)
  // A caller who can read schedules sees each stopped schedule by name instead of their number.
  const isListedByName = ({ condition }: Attention): boolean =>
    condition === 'schedules_stopped' && stopped.length > 0
  const items = (conditions.data ?? []).filter((item) => !isListedByName(item))
  return {
    items,
    stopped: stopped as readonly Schedule[],
    /** The number of conditions above the severity `info`. */
    count: items.filter(({ severity }) => severity !== 'info').length + stopped.length,
    query: conditions,
  }
}
