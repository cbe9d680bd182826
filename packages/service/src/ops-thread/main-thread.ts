import { jsonAnswer } from './json-answer.ts'
import type { Answer, AskedPage } from './protocol.ts'

export interface MainThreadOptions {
  /** Sends the question on its way. */
  readonly send: (page: AskedPage) => void
  readonly patienceMs: number
}

/** The main thread as the ops thread sees it: it may not answer for a long time. */
export interface MainThread {
  /** The page, or 503 with the reason once the patience is over. Never rejects. */
  ask(page: AskedPage): Promise<Answer>
  /** The answer to the question that is under way for this page. */
  answered(page: AskedPage, answer: Answer): void
}

/**
 * At most one question for each page is under way, however many requests wait for it: a main thread that has been
 * busy for minutes must not find one for every probe of that time.
 */
export function createMainThread({ send, patienceMs }: MainThreadOptions): MainThread {
  const asked = new Map<AskedPage, PromiseWithResolvers<Answer>>()

  const question = (page: AskedPage): Promise<Answer> => {
    const known = asked.get(page)
    if (known !== undefined) return known.promise
    const created = Promise.withResolvers<Answer>()
    asked.set(page, created)
    send(page)
    return created.promise
  }

  return {
    ask: async (page) => {
      let timer: NodeJS.Timeout | undefined
      const patience = new Promise<Answer>((resolve) => {
        timer = setTimeout(() => resolve(busyAnswer(patienceMs)), patienceMs).unref()
      })
      const first = await Promise.race([question(page), patience])
      clearTimeout(timer)
      return first
    },
    answered: (page, answer) => {
      asked.get(page)?.resolve(answer)
      asked.delete(page)
    },
  }
}

function busyAnswer(patienceMs: number): Answer {
  const message =
    `the main thread has not answered for ${patienceMs} ms: something that it runs does not let go of it. ` +
    'The process is alive, and /livez says so.'
  return jsonAnswer(503, { status: 'busy', message })
}
