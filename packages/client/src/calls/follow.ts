import { createParser } from 'eventsource-parser'
import { ApiError } from '../api-error.ts'
import { streamSilenceMsMax } from '../limits.ts'
import { isEnded } from '../job-status.ts'
import { NetworkError } from '../network-error.ts'
import type { CallOptions } from '../options.ts'
import { mayRepeat } from '../request/may-repeat.ts'
import { deadlineSignal } from '../request/deadline-signal.ts'
import { retryDelayMs } from '../request/retry-delay.ts'
import { sleep } from '../request/sleep.ts'
import type { Transport } from '../transport.ts'
import type { Job, LogLevel, LogLine } from '../wire.ts'

/** What changes of a job while it runs, without its documents. */
export type JobState = Pick<
  Job,
  | 'id'
  | 'status'
  | 'attempts'
  | 'max_attempts'
  | 'cancel_requested'
  | 'progress'
  | 'progress_message'
  | 'updated_at'
>

/** `state`: its status, attempts or cancel_requested. `progress`: its progress alone. `gone`: it was removed. */
export type JobEvent =
  | { readonly event: 'state' | 'progress'; readonly job: JobState }
  | { readonly event: 'gone'; readonly job: Pick<JobState, 'id'> }

/** A line that the handler has logged; `id` says where the stream goes on behind it. */
interface LogEvent {
  readonly event: 'log'
  readonly id: string
  readonly line: LogLine
}

export interface FollowLogsOptions extends CallOptions {
  /** Lines of this level and of those that are more severe. Default: all. */
  readonly level?: LogLevel
}

export interface Following {
  /**
   * The present state of a job, and then each change until it has ended. Short-lived states may be left out, the last one
   * never. A stream that breaks is opened again.
   *
   * @throws ApiError `job_not_found`.
   */
  follow(id: string, options?: CallOptions): AsyncIterable<JobEvent>
  /**
   * Each line that the handler of a job has logged, and then those that it logs, until the job has ended. None is left out,
   * and none comes twice.
   *
   * @throws ApiError `job_not_found`.
   */
  followLogs(id: string, options?: FollowLogsOptions): AsyncIterable<LogLine>
}

export function followCalls(transport: Transport): Following {
  return {
    follow: (id, options) => follow(transport, { id, signal: options?.signal }),
    followLogs: (id, { level = 'debug', signal } = {}) => followLogs(transport, { id, signal, level }),
  }
}

interface Followed {
  readonly id: string
  readonly signal: AbortSignal | undefined
  /** From which level on lines are followed too; absent: none are. */
  readonly level?: LogLevel | undefined
}

async function* follow(transport: Transport, followed: Followed): AsyncGenerator<JobEvent, void> {
  for await (const event of eventsUntilEnd(transport, followed)) if (event.event !== 'log') yield event
}

async function* followLogs(transport: Transport, followed: Followed): AsyncGenerator<LogLine, void> {
  for await (const event of eventsUntilEnd(transport, followed)) if (event.event === 'log') yield event.line
}

/** Opens stream after stream until one has shown the end of the job. */
async function* eventsUntilEnd(
  transport: Transport,
  { id, signal, level }: Followed,
): AsyncGenerator<JobEvent | LogEvent, void> {
  const signals = [transport.signal, signal].filter((one) => one !== undefined)
  let last = ''
  let lastId: string | undefined
  for (let failures = 0; ; ) {
    try {
      for await (const event of openStream(transport, { id, signal, signals, level, lastId })) {
        failures = 0
        if (event.event === 'log') {
          lastId = event.id
          yield event
          continue
        }
        // A stream that is opened again begins with what the one before may have shown already.
        const text = JSON.stringify(event)
        if (text !== last) yield event
        last = text
        if (event.event === 'gone' || isEnded(event.job)) return
      }
      failures += 1
    } catch (error) {
      for (const one of signals) one.throwIfAborted()
      const isOurs = error instanceof ApiError || error instanceof NetworkError
      failures += 1
      if (!isOurs || failures > transport.retries || !mayRepeat(error, 'freely')) throw error
    }
    await sleep(retryDelayMs({ failures, retryAfterMs: undefined, random: Math.random }), signals)
  }
}

interface StreamOptions extends Followed {
  readonly signals: readonly AbortSignal[]
  /** The line behind which it begins; undefined: at the first. */
  readonly lastId: string | undefined
}

async function* openStream(
  { http, send }: Transport,
  { id, signal, signals, level, lastId }: StreamOptions,
): AsyncGenerator<JobEvent | LogEvent, void> {
  const request = `GET /jobs/${id}/events`
  const closing = new AbortController()
  const { data } = await send<ReadableStream<Uint8Array> | null | undefined>({
    request,
    repetition: 'freely',
    signal,
    // The signal of the attempt ends with its answer; the stream goes on beyond that.
    fetch: (attempt) =>
      http.GET('/jobs/{id}/events', {
        params: {
          path: { id },
          ...(level !== undefined && { query: { logs: level } }),
          ...(lastId !== undefined && { header: { 'last-event-id': lastId } }),
        },
        parseAs: 'stream',
        signal: AbortSignal.any([attempt, closing.signal]),
      }),
  })
  try {
    if (data) yield* eventsOf(data, { request, signals })
  } finally {
    closing.abort()
  }
}

async function* eventsOf(
  stream: ReadableStream<Uint8Array>,
  { request, signals }: { readonly request: string; readonly signals: readonly AbortSignal[] },
): AsyncGenerator<JobEvent | LogEvent, void> {
  const events: (JobEvent | LogEvent)[] = []
  const parser = createParser({
    onEvent: ({ event, id, data }) => {
      if (event === 'log') events.push({ event, id: id ?? '', line: JSON.parse(data) })
      if (event === 'state' || event === 'progress' || event === 'gone') {
        events.push({ event, job: JSON.parse(data) })
      }
    },
  })
  const reader = stream.getReader()
  const decoder = new TextDecoder()
  for (;;) {
    const { done, value } = await readBefore(reader, { request, signals })
    if (value !== undefined) parser.feed(decoder.decode(value, { stream: true }))
    yield* events.splice(0)
    if (done) return
  }
}

/** The next bytes. A stream that gives none for long, not even a sign of life, is broken. */
async function readBefore(
  reader: ReadableStreamDefaultReader<Uint8Array>,
  { request, signals }: { readonly request: string; readonly signals: readonly AbortSignal[] },
): Promise<{ readonly done: boolean; readonly value?: Uint8Array | undefined }> {
  const deadline = deadlineSignal(streamSilenceMsMax, signals)
  const cut = Promise.withResolvers<never>()
  const abort = (): void => cut.reject(deadline.signal.reason)
  if (deadline.signal.aborted) abort()
  deadline.signal.addEventListener('abort', abort, { once: true })
  try {
    return await Promise.race([reader.read(), cut.promise])
  } catch (cause) {
    for (const one of signals) one.throwIfAborted()
    throw new NetworkError({ reason: deadline.expired() ? 'timeout' : 'lost', request, cause })
  } finally {
    deadline[Symbol.dispose]()
  }
}
