import { isTerminal, type JobState } from '@queue/core'
import { encodeLogCursor, type Masker } from '@queue/core/fields'
import type { Request, Response } from 'express'
import { streamHeartbeatMs } from '../http/limits.ts'
import { Problem } from '../http/problem.ts'
import { contextOf } from '../http/request-context.ts'
import { encodeProgress } from '../wire/job-state.ts'
import { encodeLogLine } from '../wire/log-line.ts'
import type { JobWatcher } from './job-watcher.ts'
import type { LineReader } from './line-reader.ts'

/** The job of a stream: as it is at its beginning, what hides what is sensitive of it, and its log where that is asked for. */
export interface StreamedJob {
  readonly first: JobState
  readonly masker: Pick<Masker, 'text' | 'document'>
  readonly lines: LineReader | undefined
}

/** Server-sent events of jobs. */
export interface EventStreams {
  /**
   * Answers with the states of a job, beginning with `first`, until it has ended, the client goes away, or the process
   * stops. Throws `overloaded` when too many streams are open.
   */
  open(exchange: { readonly req: Request; readonly res: Response }, job: StreamedJob): void
  /** Streams that another watcher feeds, and that count with these. */
  fedBy(watcher: JobWatcher): EventStreams
}

export interface EventStreamsOptions {
  readonly watcher: JobWatcher
  /** Ends every stream: its client will come back, to another process. */
  readonly stopping: AbortSignal
  /** Streams that are open at once, at most. */
  readonly streamsMax: number
}

/** The id of a stream's last event. A client that reconnects with it gets 204: there is nothing more. */
export const endEventId = 'end'

export function createEventStreams({ watcher, stopping, streamsMax }: EventStreamsOptions): EventStreams {
  let streams = 0
  const fedBy = (fedWatcher: JobWatcher): EventStreams => ({
    fedBy,
    open: ({ req, res }, job) => {
      // The client has gone while its job was read: nothing would ever close this stream.
      if (res.closed || req.socket.destroyed) return
      if (streams >= streamsMax) throw new Problem('overloaded')
      begin(res)
      if (req.method === 'HEAD') {
        res.end()
        return
      }
      streams += 1
      res.once('close', () => (streams -= 1))
      stream(res, { ...job, watcher: fedWatcher, stopping })
    },
  })
  return fedBy(watcher)
}

/** A stream has no time limit, and proxies must not buffer it. */
function begin(res: Response): void {
  clearTimeout(contextOf(res).timer)
  res.writeHead(200, {
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-store',
    'x-accel-buffering': 'no',
  })
}

interface StreamOptions extends Omit<EventStreamsOptions, 'streamsMax'>, StreamedJob {}

function stream(res: Response, { watcher, stopping, ...job }: StreamOptions): void {
  const teller = new Teller(res, job)
  const heartbeat = setInterval(() => {
    // A client that has read nothing for so long is gone.
    if (res.writableNeedDrain) res.destroy()
    else res.write(':\n\n')
  }, streamHeartbeatMs)
  const unwatch = watcher.watch(job.first.id, (state) => teller.tell(state))
  const end = (): void => void res.end()
  res.once('close', () => {
    clearInterval(heartbeat)
    unwatch()
    stopping.removeEventListener('abort', end)
  })
  stopping.addEventListener('abort', end)
  teller.tell(job.first)
  if (stopping.aborted) res.end()
}

/** What the client of a stream has been told, and is told next. */
class Teller {
  readonly #res: Response
  readonly #job: StreamedJob
  #last: JobState | undefined
  #isReading = false

  constructor(res: Response, job: StreamedJob) {
    this.#res = res
    this.#job = job
  }

  /**
   * Tells of a state, and before that of the lines that were logged by then. A client that reads slowly does not get the
   * states that it has missed: the next poll has a newer one.
   */
  tell(state: JobState | undefined): void {
    if (this.#isReading || this.#res.writableNeedDrain || this.#res.writableEnded) return
    const { lines } = this.#job
    if (lines === undefined || !mayHaveLines(state, this.#last)) return this.#tellState(state)
    this.#isReading = true
    void this.#tellLines(lines)
      .then((all) => all && this.#tellState(state))
      .catch(() => undefined)
      .finally(() => (this.#isReading = false))
  }

  /** Whether these were all. */
  async #tellLines(lines: LineReader): Promise<boolean> {
    do {
      for (const line of await lines.next()) {
        const data = JSON.stringify(encodeLogLine(line, this.#job.masker))
        this.#res.write(`event: log\nid: ${encodeLogCursor(line)}\ndata: ${data}\n\n`)
      }
    } while (lines.hasMore && !this.#res.writableNeedDrain && !this.#res.writableEnded)
    return !lines.hasMore
  }

  #tellState(state: JobState | undefined): void {
    const { first, masker } = this.#job
    const text = state === undefined ? goneEvent(first.id) : writeEvent(state, this.#last, masker)
    if (text !== undefined) this.#res.write(text)
    if (state === undefined || isTerminal(state.status)) this.#res.end()
    else this.#last = state
  }
}

/** A job that waits, and has waited before, has logged nothing since. */
function mayHaveLines(state: JobState | undefined, last: JobState | undefined): boolean {
  return state?.status !== last?.status || state?.attempts !== last?.attempts || state?.status === 'running'
}

/** The event for a client that knows `last`; undefined when `state` is the same. */
function writeEvent(
  state: JobState,
  last: JobState | undefined,
  masker: Pick<Masker, 'text'>,
): string | undefined {
  const isNewState =
    last === undefined ||
    state.status !== last.status ||
    state.attempts !== last.attempts ||
    state.cancelRequested !== last.cancelRequested
  const isNewProgress = state.progress !== last?.progress || state.progressMessage !== last?.progressMessage
  if (!isNewState && !isNewProgress) return undefined
  const id = isTerminal(state.status) ? `id: ${endEventId}\n` : ''
  const data = JSON.stringify(encodeProgress(state, masker))
  return `event: ${isNewState ? 'state' : 'progress'}\n${id}data: ${data}\n\n`
}

function goneEvent(id: string): string {
  return `event: gone\nid: ${endEventId}\ndata: ${JSON.stringify({ id })}\n\n`
}
