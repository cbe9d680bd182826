import { isTerminal, type JobState } from '@queue/core'
import type { Masker } from '@queue/core/fields'
import type { Request, Response } from 'express'
import { streamHeartbeatMs } from '../http/limits.ts'
import { Problem } from '../http/problem.ts'
import { contextOf } from '../http/request-context.ts'
import { encodeJobState } from '../wire/job.ts'
import type { JobWatcher } from './job-watcher.ts'

/** The job of a stream: as it is at its beginning, and what hides what is sensitive of it. */
export interface StreamedJob {
  readonly first: JobState
  readonly masker: Pick<Masker, 'text'>
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

function stream(res: Response, { first, masker, watcher, stopping }: StreamOptions): void {
  const eventOf = (state: JobState, known?: JobState): string | undefined => writeEvent(state, known, masker)
  let last = first
  const heartbeat = setInterval(() => {
    // A client that has read nothing for so long is gone.
    if (res.writableNeedDrain) res.destroy()
    else res.write(':\n\n')
  }, streamHeartbeatMs)
  const unwatch = watcher.watch(first.id, (state) => {
    // A client that reads slowly does not get the states that it has missed.
    if (res.writableNeedDrain || res.writableEnded) return
    const text = state === undefined ? goneEvent(first.id) : eventOf(state, last)
    if (text !== undefined) res.write(text)
    if (state === undefined || isTerminal(state.status)) res.end()
    else last = state
  })
  const end = (): void => void res.end()
  res.once('close', () => {
    clearInterval(heartbeat)
    unwatch()
    stopping.removeEventListener('abort', end)
  })
  stopping.addEventListener('abort', end)
  res.write(eventOf(first) ?? '')
  if (isTerminal(first.status) || stopping.aborted) res.end()
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
  const data = JSON.stringify(encodeJobState(state, masker))
  return `event: ${isNewState ? 'state' : 'progress'}\n${id}data: ${data}\n\n`
}

function goneEvent(id: string): string {
  return `event: gone\nid: ${endEventId}\ndata: ${JSON.stringify({ id })}\n\n`
}
