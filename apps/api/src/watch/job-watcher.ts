import type { JobState } from '@queue/core'
import { watchBatchMax, watchIntervalMs } from '../http/limits.ts'

/** Called with the state of a job at each poll; undefined once the job is deleted. */
export type StateListener = (state: JobState | undefined) => void

/** Polls the states of watched jobs. */
export interface JobWatcher {
  /** Calls `listener` at every poll, until the returned function is called. */
  watch(id: string, listener: StateListener): () => void
}

/**
 * Reads all watched jobs in one query at a time, with `watchIntervalMs` between two queries. A thousand waiting clients cost as
 * many queries as one. A failed poll is skipped.
 */
export function createJobWatcher(readStates: (ids: readonly string[]) => Promise<JobState[]>): JobWatcher {
  const watched = new Map<string, Set<StateListener>>()
  let timer: NodeJS.Timeout | undefined

  const poll = async (): Promise<void> => {
    const ids = [...watched.keys()]
    for (let start = 0; start < ids.length; start += watchBatchMax) {
      await readAndNotify(ids.slice(start, start + watchBatchMax)).catch(() => undefined)
    }
    timer = watched.size === 0 ? undefined : setTimeout(() => void poll(), watchIntervalMs)
  }

  const readAndNotify = async (ids: readonly string[]): Promise<void> => {
    const states = new Map((await readStates(ids)).map((state) => [state.id, state]))
    for (const id of ids) {
      for (const listener of watched.get(id) ?? []) listener(states.get(id))
    }
  }

  return {
    watch: (id, listener) => {
      const listeners = watched.get(id) ?? new Set()
      watched.set(id, listeners.add(listener))
      timer ??= setTimeout(() => void poll(), watchIntervalMs)
      return () => {
        listeners.delete(listener)
        if (listeners.size === 0 && watched.get(id) === listeners) watched.delete(id)
      }
    },
  }
}
