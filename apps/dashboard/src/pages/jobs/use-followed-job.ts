import { isEnded } from '@queue/client'
import { focusManager, useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useSyncExternalStore } from 'react'
import { client } from '../../api/client.ts'
import { queries } from '../../api/queries.ts'
import { usePaused } from '../../shell/live.ts'

const subscribeToFocus = (listener: () => void): (() => void) => focusManager.subscribe(listener)

/** A job that is updated by its event stream until it ends, while the page is visible. */
export function useFollowedJob(id: string) {
  const queryClient = useQueryClient()
  const paused = usePaused()
  const query = useQuery(queries.job(id))
  const isVisible = useSyncExternalStore(subscribeToFocus, () => focusManager.isFocused())
  const isLive = query.data !== undefined && !isEnded(query.data) && !paused && isVisible
  useEffect(() => {
    if (!isLive) return undefined
    const closing = new AbortController()
    const follow = async (): Promise<void> => {
      for await (const { event } of client.follow(id, { signal: closing.signal })) {
        if (event === 'progress' || event === 'state' || event === 'gone') {
          await queryClient.invalidateQueries({ queryKey: ['jobs', id] })
        }
      }
    }
    // If the stream fails, the page keeps its data. The job is fetched again when the window gets the focus.
    follow().catch(() => undefined)
    return () => closing.abort()
  }, [id, isLive, queryClient])
  return { query, isLive }
}
