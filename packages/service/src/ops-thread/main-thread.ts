import { type Answer, type MainThreadEndpoint, jsonAnswer } from './protocol.ts'

export interface MainThreadOptions {
  /** Sends a request for this endpoint to the main thread. */
  readonly send: (endpoint: MainThreadEndpoint) => void
  readonly patienceMs: number
}

/** The ops thread's connection to the main thread, which may not answer for a long time. */
export interface MainThread {
  /** Resolves with the answer of the endpoint, or after `patienceMs` with a 503 and the reason. Never rejects. */
  ask(endpoint: MainThreadEndpoint): Promise<Answer>
  /** Called with the answer to the pending request for this endpoint. */
  answered(endpoint: MainThreadEndpoint, answer: Answer): void
}

/**
 * At most one request for each endpoint is pending, however many probes wait for it. Otherwise a main thread that was busy for
 * minutes would have to answer every probe of that time.
 */
export function createMainThread({ send, patienceMs }: MainThreadOptions): MainThread {
  const pending = new Map<MainThreadEndpoint, PromiseWithResolvers<Answer>>()

  const requestAnswer = (endpoint: MainThreadEndpoint): Promise<Answer> => {
    const earlier = pending.get(endpoint)
    if (earlier !== undefined) return earlier.promise
    const created = Promise.withResolvers<Answer>()
    pending.set(endpoint, created)
    send(endpoint)
    return created.promise
  }

  return {
    ask: async (endpoint) => {
      let timer: NodeJS.Timeout | undefined
      const timeout = new Promise<Answer>((resolve) => {
        timer = setTimeout(() => resolve(busyAnswer(patienceMs)), patienceMs).unref()
      })
      const answer = await Promise.race([requestAnswer(endpoint), timeout])
      clearTimeout(timer)
      return answer
    },
    answered: (endpoint, answer) => {
      pending.get(endpoint)?.resolve(answer)
      pending.delete(endpoint)
    },
  }
}

function busyAnswer(patienceMs: number): Answer {
  const message =
    `the main thread has not answered for ${patienceMs} ms, because it is busy or its event loop is blocked. ` +
    'The process is alive: /livez still answers.'
  return jsonAnswer(503, { status: 'busy', message })
}
