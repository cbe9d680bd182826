import { timerMsMax } from '../limits.ts'

/** A signal of its own for one piece of work, to be disposed of when the work is over. */
export interface DeadlineSignal {
  readonly signal: AbortSignal
  /** Whether the time was up before any other signal aborted. */
  expired(): boolean
  [Symbol.dispose](): void
}

/**
 * Aborts after `ms`, or with the first of `signals`. Unlike AbortSignal.any with AbortSignal.timeout it leaves neither
 * a timer nor a listener behind on signals that outlive the work.
 */
export function deadlineSignal(ms: number, signals: readonly AbortSignal[]): DeadlineSignal {
  const controller = new AbortController()
  let expired = false
  const expire = (): void => {
    expired = !controller.signal.aborted
    controller.abort(new DOMException(`${ms} ms are over`, 'TimeoutError'))
  }
  const timer = ms < timerMsMax ? setTimeout(expire, ms) : undefined
  const listeners = signals.map((signal) => ({ signal, abort: () => controller.abort(signal.reason) }))
  for (const { signal, abort } of listeners) {
    if (signal.aborted) abort()
    signal.addEventListener('abort', abort, { once: true })
  }
  return {
    signal: controller.signal,
    expired: () => expired,
    [Symbol.dispose]() {
      clearTimeout(timer)
      for (const { signal, abort } of listeners) signal.removeEventListener('abort', abort)
    },
  }
}
