import { focusManager, useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useSyncExternalStore } from 'react'
import { isEnded } from '@queue/client'
import { client } from '../api/client.ts'
import { queries } from '../api/queries.ts'
import { usePaused } from '../shell/live.ts'

const subscribeToSight = (listener: () => void): (() => void) => focusManager.subscribe(listener)

/** A job, kept up to date by its stream of events until it has ended, while the page is seen. */
export function useFollowedJob(id: string) {
  const queryClient = useQueryClient()
  const paused = usePaused()
  const query = useQuery(queries.job(id))
  const seen = useSyncExternalStore(subscribeToSight, () => focusManager.isFocused())
  const isLive = query.data !== undefined && !isEnded(query.data) && !paused && seen
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
    // A stream that cannot be had leaves the page as it is: the job is read again when the page is looked at.
    follow().catch(() => undefined)
    return () => closing.abort()
  }, [id, isLive, queryClient])
  return { query, isLive }
}
