import { isTerminal } from '@queue/core'
import type { JobWatcher } from './job-watcher.ts'

export interface WaitForEndOptions {
  readonly watcher: JobWatcher
  /** Milliseconds at most. */
  readonly ms: number
  /** Aborts the wait. */
  readonly signal: AbortSignal
}

/** Resolves when the job has ended or is gone, when the time is up, or when the signal is aborted. */
export function waitForEnd(id: string, { watcher, ms, signal }: WaitForEndOptions): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted || ms <= 0) {
      resolve()
      return
    }
    const end = (): void => {
      clearTimeout(timer)
      signal.removeEventListener('abort', end)
      unwatch()
      resolve()
    }
    const timer = setTimeout(end, ms)
    signal.addEventListener('abort', end)
    const unwatch = watcher.watch(id, (state) => {
      if (state === undefined || isTerminal(state.status)) end()
    })
  })
}
