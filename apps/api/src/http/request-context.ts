import { randomUUID } from 'node:crypto'
import type { LogFields } from '@queue/telemetry'
import type { Request, Response } from 'express'
import { requestIdLengthMax } from './limits.ts'

/** What the metrics and the log call a path that no operation has. */
const unmatchedRoute = 'unmatched'

/** What is known of one request while it is served. */
export class RequestContext {
  readonly id: string
  /** From `performance.now()`, in milliseconds. */
  readonly startedAtMs = performance.now()
  /** The path template of the operation that serves it: the bounded name of what was asked for. */
  route = unmatchedRoute
  /** Ends the request with 504 when it goes off. */
  timer: NodeJS.Timeout | undefined
  /** Milliseconds of its life in which it only waited, because its client had asked for that. */
  waitedMs = 0
  /** The job that it is about, as lines of the log name one; empty while that is none, or not known. */
  about: Readonly<Record<string, string>> = {}
  /** Of which jobs, dead letters or queue it has changed the course, to be logged; undefined while of none. */
  control: LogFields | undefined
  #closed: AbortController | undefined
  #isClosed = false

  /** The id is the client's own if that is safe to log and to send back, a fresh one otherwise. */
  constructor(clientId: string | string[] | undefined) {
    this.id = isSafeId(clientId) ? clientId : randomUUID()
  }

  /** Aborted when the answer is sent or the client has gone away. */
  get closed(): AbortSignal {
    if (this.#closed === undefined) {
      this.#closed = new AbortController()
      if (this.#isClosed) this.#closed.abort()
    }
    return this.#closed.signal
  }

  /** To be called once, when the answer is sent or the client has gone away. */
  close(): void {
    this.#isClosed = true
    this.#closed?.abort()
  }
}

const requestIdPattern = /^[\w.:/+=-]+$/

function isSafeId(id: string | string[] | undefined): id is string {
  return typeof id === 'string' && id.length <= requestIdLengthMax && requestIdPattern.test(id)
}

/** The address at the other end of the connection: the client, or the proxy that it came through. */
export function clientOf(req: Request): string | undefined {
  return req.socket.remoteAddress
}

/** The context of the request that `res` answers. */
export function contextOf(res: Response): RequestContext {
  const context: unknown = res.locals['context']
  if (context instanceof RequestContext) return context
  throw new Error('a request has come past the handler that gives it its context')
}
