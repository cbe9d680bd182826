import type { AttemptAborted } from '@queue/executor'

/** Resolves with the reason once the signal aborts. */
export function aborted(signal: AbortSignal): Promise<AttemptAborted> {
  return new Promise((resolve) => {
    const end = (): void => resolve(signal.reason as AttemptAborted)
    if (signal.aborted) end()
    else signal.addEventListener('abort', end, { once: true })
  })
}
