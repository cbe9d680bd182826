import { isTerminal } from '@queue/core'
import type { RequestContext } from '../http/request-context.ts'
import type { JobWatcher } from './job-watcher.ts'

export interface WaitForEndOptions {
  readonly watcher: JobWatcher
  /** Maximum wait in milliseconds. */
  readonly ms: number
  /** The waiting request. Its close ends the wait. */
  readonly context: Pick<RequestContext, 'isClosed' | 'onClose'>
  /** Ends the wait when it is aborted. */
  readonly stopping: AbortSignal
}

/**
 * Resolves with true when the job has ended or was deleted, and with false when the time is up, the request is closed or the API
 * stops.
 */
export function waitForEnd(id: string, options: WaitForEndOptions): Promise<boolean> {
  const { watcher, ms, context, stopping } = options
  return new Promise((resolve) => {
    if (ms <= 0 || context.isClosed || stopping.aborted) {
      resolve(false)
      return
    }
    const settle = (hasEnded: boolean): void => {
      clearTimeout(timer)
      stopping.removeEventListener('abort', end)
      unwatch()
      resolve(hasEnded)
    }
    const end = (): void => settle(false)
    const timer = setTimeout(end, ms)
    context.onClose(end)
    stopping.addEventListener('abort', end)
    const unwatch = watcher.watch(id, (state) => {
      if (state === undefined || isTerminal(state.status)) settle(true)
    })
  })
}
