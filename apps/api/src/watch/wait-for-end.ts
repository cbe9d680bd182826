import { isTerminal } from '@queue/core'
import type { JobWatcher } from './job-watcher.ts'

export interface WaitForEndOptions {
  readonly watcher: JobWatcher
  /** Maximum wait in milliseconds. */
  readonly ms: number
  /** Each of them ends the wait when it is aborted. */
  readonly signals: readonly AbortSignal[]
}

/** Resolves when the job has ended or was deleted, when the time is up, or when a signal is aborted. */
export function waitForEnd(id: string, { watcher, ms, signals }: WaitForEndOptions): Promise<void> {
  return new Promise((resolve) => {
    if (ms <= 0 || signals.some((signal) => signal.aborted)) {
      resolve()
      return
    }
    const end = (): void => {
      clearTimeout(timer)
      for (const signal of signals) signal.removeEventListener('abort', end)
      unwatch()
      resolve()
    }
    const timer = setTimeout(end, ms)
    for (const signal of signals) signal.addEventListener('abort', end)
    const unwatch = watcher.watch(id, (state) => {
      if (state === undefined || isTerminal(state.status)) end()
    })
  })
}
