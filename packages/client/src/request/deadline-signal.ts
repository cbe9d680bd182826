import { timerMsMax } from '../limits.ts'

/** A signal for one piece of work. Dispose of it when the work is over. */
export interface DeadlineSignal {
  readonly signal: AbortSignal
  /** Whether the time ran out before any other signal aborted. */
  expired(): boolean
  [Symbol.dispose](): void
}

/**
 * Aborts after `ms`, or when one of `signals` aborts. Unlike `AbortSignal.any` with `AbortSignal.timeout`, it leaves no
 * timer, and no listener on signals that outlive the work.
 */
export function deadlineSignal(ms: number, signals: readonly AbortSignal[]): DeadlineSignal {
  const controller = new AbortController()
  let expired = false
  const expire = (): void => {
    expired = !controller.signal.aborted
    controller.abort(new DOMException(`timed out after ${ms} ms`, 'TimeoutError'))
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
