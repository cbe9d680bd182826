import { setTimeout as sleep } from 'node:timers/promises'

const askEveryMs = 100
const askTimeoutMs = 2_000

export interface WhileWaiting {
  /** Resolves with the name of a process that has ended. */
  readonly broken: Promise<string>
  readonly signal: AbortSignal
}

/** Resolves when `url` answers 200. Throws when a process has ended instead, or when `signal` aborts. */
export async function waitUntilReady(url: string, { broken, signal }: WhileWaiting): Promise<void> {
  let ended: string | undefined
  void broken.then((name) => {
    ended = name
  })
  while (!(await isReady(url))) {
    signal.throwIfAborted()
    if (ended !== undefined) throw new Error(`${ended} ended before it was ready`)
    await Promise.race([sleep(askEveryMs), broken])
  }
}

async function isReady(url: string): Promise<boolean> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(askTimeoutMs) })
    await response.body?.cancel()
    return response.status === 200
  } catch {
    return false
  }
}
