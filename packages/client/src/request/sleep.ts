/** Resolves after `ms`. If a signal aborts first, rejects with its reason. */
export async function sleep(ms: number, signals: readonly AbortSignal[]): Promise<void> {
  for (const signal of signals) signal.throwIfAborted()
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const timer = setTimeout(resolve, ms)
  const listeners = signals.map((signal) => ({ signal, abort: () => reject(signal.reason) }))
  for (const { signal, abort } of listeners) signal.addEventListener('abort', abort, { once: true })
  try {
    await promise
  } finally {
    clearTimeout(timer)
    for (const { signal, abort } of listeners) signal.removeEventListener('abort', abort)
  }
}
