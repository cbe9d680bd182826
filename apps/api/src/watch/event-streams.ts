import { type JobState, isTerminal } from '@queue/core'
import { encodeLogCursor } from '@queue/core/internal'
import type { Request, Response } from 'express'
import { streamHeartbeatMs } from '../http/limits.ts'
import { Problem } from '../http/problem.ts'
import { contextOf } from '../http/request-context.ts'
import { encodeLogLine } from '../operations/insight/log-line.ts'
import { encodeProgress } from '../operations/reads/job-state.ts'
import type { JobWatcher } from './job-watcher.ts'
import type { LineReader } from './line-reader.ts'

/** The job of a stream: its first state, and its log lines if they are requested. */
export interface StreamedJob {
  readonly first: JobState
  readonly lines: LineReader | undefined
}

/** Streams of server-sent events. */
export interface EventStreams {
  /**
   * Sends the states of a job, beginning with `first`, until it ends, the client disconnects, or the process stops. Throws
   * `overloaded` if too many streams are open.
   */
  open(exchange: { readonly req: Request; readonly res: Response }, job: StreamedJob): void
  /** Streams that use another watcher. They share the bound of these. */
  withWatcher(watcher: JobWatcher): EventStreams
}

export interface EventStreamsOptions {
  readonly watcher: JobWatcher
  /** Ends every stream. Clients then reconnect to another process. */
  readonly stopping: AbortSignal
  /** Maximum number of open streams. */
  readonly streamsMax: number
}

/** The id of the last event of a stream. A client that reconnects with it gets 204. */
export const endEventId = 'end'

export function createEventStreams({ watcher, stopping, streamsMax }: EventStreamsOptions): EventStreams {
  let openStreams = 0
  const withWatcher = (streamWatcher: JobWatcher): EventStreams => ({
    withWatcher,
    open: ({ req, res }, job) => {
      // The client may have disconnected while its job was read. `close` would then never be emitted.
      if (res.closed || req.socket.destroyed) return
      if (openStreams >= streamsMax) throw new Problem('overloaded')
      begin(res)
      if (req.method === 'HEAD') {
        res.end()
        return
      }
      openStreams += 1
      res.once('close', () => (openStreams -= 1))
      stream(res, { ...job, watcher: streamWatcher, stopping })
    },
  })
  return withWatcher(watcher)
}

/** A stream has no timeout, and proxies must not buffer it. */
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
  const writer = new EventWriter(res, job)
  const heartbeat = setInterval(() => {
    // A client that has read nothing for this long is gone.
    if (res.writableNeedDrain) res.destroy()
    else res.write(':\n\n')
  }, streamHeartbeatMs)
  const unwatch = watcher.watch(job.first.id, (state) => writer.write(state))
  const end = (): void => void res.end()
  res.once('close', () => {
    clearInterval(heartbeat)
    unwatch()
    stopping.removeEventListener('abort', end)
  })
  stopping.addEventListener('abort', end)
  writer.write(job.first)
  if (stopping.aborted) res.end()
}

/** Writes the events of one stream: changes of state, and log lines. */
class EventWriter {
  readonly #res: Response
  readonly #job: StreamedJob
  #last: JobState | undefined
  #isReading = false

  constructor(res: Response, job: StreamedJob) {
    this.#res = res
    this.#job = job
  }

  /**
   * Writes a state, and before it the log lines up to then. A slow client skips states: the next poll has a newer one.
   */
  write(state: JobState | undefined): void {
    if (this.#isReading || this.#res.writableNeedDrain || this.#res.writableEnded) return
    const { lines } = this.#job
    if (lines === undefined || !mayHaveLines(state, this.#last)) return this.#writeState(state)
    this.#isReading = true
    void this.#writeLines(lines)
      .then((isComplete) => isComplete && this.#writeState(state))
      .catch(() => undefined)
      .finally(() => (this.#isReading = false))
  }

  /** Writes the new log lines. Returns whether none is left. */
  async #writeLines(lines: LineReader): Promise<boolean> {
    do {
      for (const line of await lines.next()) {
        const data = JSON.stringify(encodeLogLine(line))
        this.#res.write(`event: log\nid: ${encodeLogCursor(line)}\ndata: ${data}\n\n`)
      }
    } while (lines.hasMore && !this.#res.writableNeedDrain && !this.#res.writableEnded)
    return !lines.hasMore
  }

  #writeState(state: JobState | undefined): void {
    const { first } = this.#job
    const text = state === undefined ? goneEvent(first.id) : stateEvent(state, this.#last)
    if (text !== undefined) this.#res.write(text)
    if (state === undefined || isTerminal(state.status)) this.#res.end()
    else this.#last = state
  }
}

/** A job that is still waiting has no new log lines. */
function mayHaveLines(state: JobState | undefined, last: JobState | undefined): boolean {
  return state?.status !== last?.status || state?.attempts !== last?.attempts || state?.status === 'running'
}

/** The event that reports `state` to a client that knows `last`; undefined if nothing has changed. */
function stateEvent(state: JobState, last: JobState | undefined): string | undefined {
  const isNewState =
    last === undefined ||
    state.status !== last.status ||
    state.attempts !== last.attempts ||
    state.cancelRequested !== last.cancelRequested
  const isNewProgress = state.progress !== last?.progress || state.progressMessage !== last?.progressMessage
  if (!isNewState && !isNewProgress) return undefined
  const id = isTerminal(state.status) ? `id: ${endEventId}\n` : ''
  const data = JSON.stringify(encodeProgress(state))
  return `event: ${isNewState ? 'state' : 'progress'}\n${id}data: ${data}\n\n`
}

function goneEvent(id: string): string {
  return `event: gone\nid: ${endEventId}\ndata: ${JSON.stringify({ id })}\n\n`
}
