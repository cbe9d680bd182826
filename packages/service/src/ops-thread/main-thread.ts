import { jsonAnswer } from './json-answer.ts'
import type { Answer, MainThreadEndpoint } from './protocol.ts'

export interface MainThreadOptions {
  /** Sends the question on its way. */
  readonly send: (endpoint: MainThreadEndpoint) => void
  readonly patienceMs: number
}

/** The main thread as the ops thread sees it: it may not answer for a long time. */
export interface MainThread {
  /** The endpoint, or 503 with the reason once the patience is over. Never rejects. */
  ask(endpoint: MainThreadEndpoint): Promise<Answer>
  /** The answer to the question that is under way for this endpoint. */
  answered(endpoint: MainThreadEndpoint, answer: Answer): void
}

/**
 * At most one question for each endpoint is under way, however many requests wait for it: a main thread that has been
 * busy for minutes must not find one for every probe of that time.
 */
export function createMainThread({ send, patienceMs }: MainThreadOptions): MainThread {
  const pending = new Map<MainThreadEndpoint, PromiseWithResolvers<Answer>>()

  const question = (endpoint: MainThreadEndpoint): Promise<Answer> => {
    const known = pending.get(endpoint)
    if (known !== undefined) return known.promise
    const created = Promise.withResolvers<Answer>()
    pending.set(endpoint, created)
    send(endpoint)
    return created.promise
  }

  return {
    ask: async (endpoint) => {
      let timer: NodeJS.Timeout | undefined
      const patience = new Promise<Answer>((resolve) => {
        timer = setTimeout(() => resolve(busyAnswer(patienceMs)), patienceMs).unref()
      })
      const first = await Promise.race([question(endpoint), patience])
      clearTimeout(timer)
      return first
    },
    answered: (endpoint, answer) => {
      pending.get(endpoint)?.resolve(answer)
      pending.delete(endpoint)
    },
  }
}

function busyAnswer(patienceMs: number): Answer {
  const message =
    `the main thread has not answered for ${patienceMs} ms: something that it runs does not let go of it. ` +
    'The process is alive, and /livez says so.'
  return jsonAnswer(503, { status: 'busy', message })
}
