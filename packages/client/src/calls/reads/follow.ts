import { createParser } from 'eventsource-parser'
import { ApiError } from '../../api-error.ts'
import { streamSilenceMsMax } from '../../limits.ts'
import { isEnded } from '../../job-status.ts'
import { NetworkError } from '../../network-error.ts'
import { callOptions, oneOf, type RulesOfCalls } from '../../option-rules.ts'
import type { CallOptions } from '../../options.ts'
import { canRetry } from '../../request/can-retry.ts'
import { deadlineSignal } from '../../request/deadline-signal.ts'
import { retryDelayMs } from '../../request/retry-delay.ts'
import { sleep } from '../../request/sleep.ts'
import type { Transport } from '../../transport.ts'
import type { Job, LogLevel, LogLine } from '../../wire.ts'

/** The members of a job that change while it runs. */
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

/**
 * - `state`: the status, the attempts or `cancel_requested` changed.
 * - `progress`: only the progress changed.
 * - `gone`: the job was deleted.
 */
export type JobEvent =
  | { readonly event: 'state' | 'progress'; readonly job: JobState }
  | { readonly event: 'gone'; readonly job: Pick<JobState, 'id'> }

/** A log line of the job. A stream that is opened with this `id` continues after it. */
interface LogEvent {
  readonly event: 'log'
  readonly id: string
  readonly line: LogLine
}

export interface FollowLogsOptions extends CallOptions {
  /** Lines of this level and of more severe ones. Default: all lines. */
  readonly level?: LogLevel
}

export interface FollowCalls {
  /**
   * The current state of a job, and then each change until the job has ended. A short-lived state may be left out, but
   * never the last one. A broken stream is opened again.
   *
   * @throws ApiError `job_not_found`.
   */
  follow(id: string, options?: CallOptions): AsyncIterable<JobEvent>
  /**
   * The log lines of a job so far, and then each new line until the job has ended. No line is left out, and none comes
   * twice.
   *
   * @throws ApiError `job_not_found`.
   */
  followLogs(id: string, options?: FollowLogsOptions): AsyncIterable<LogLine>
}

/** The options of these calls. */
export const followOptions: RulesOfCalls<FollowCalls> = {
  follow: { at: 1, options: callOptions, iterates: true },
  followLogs: {
    at: 1,
    options: { ...callOptions, level: oneOf('debug', 'info', 'warn', 'error') },
    iterates: true,
  },
}

export function followCalls(transport: Transport): FollowCalls {
  return {
    follow: (id, options) => follow(transport, { id, signal: options?.signal }),
    followLogs: (id, { level = 'debug', signal } = {}) => followLogs(transport, { id, signal, level }),
  }
}

interface FollowOptions {
  readonly id: string
  readonly signal: AbortSignal | undefined
  /** Also follow log lines of this level and of more severe ones. Absent: no log lines. */
  readonly level?: LogLevel | undefined
}

async function* follow(transport: Transport, options: FollowOptions): AsyncGenerator<JobEvent, void> {
  for await (const event of eventsUntilEnd(transport, options)) if (event.event !== 'log') yield event
}

async function* followLogs(transport: Transport, options: FollowOptions): AsyncGenerator<LogLine, void> {
  for await (const event of eventsUntilEnd(transport, options)) if (event.event === 'log') yield event.line
}

/** The events of a job until it has ended. Opens the stream again whenever it breaks. */
async function* eventsUntilEnd(
  transport: Transport,
  { id, signal, level }: FollowOptions,
): AsyncGenerator<JobEvent | LogEvent, void> {
  const signals = [transport.signal, signal].filter((callerSignal) => callerSignal !== undefined)
  let lastStateText = ''
  let lastLogId: string | undefined
  for (let failures = 0; ; ) {
    try {
      for await (const event of openStream(transport, { id, signal, signals, level, lastLogId })) {
        failures = 0
        if (event.event === 'log') {
          lastLogId = event.id
          yield event
          continue
        }
        // A stream that is opened again starts with the current state, which the caller may have already.
        const stateText = JSON.stringify(event)
        if (stateText !== lastStateText) yield event
        lastStateText = stateText
        if (event.event === 'gone' || isEnded(event.job)) return
      }
      failures += 1
    } catch (error) {
      for (const callerSignal of signals) callerSignal.throwIfAborted()
      const isRequestFailure = error instanceof ApiError || error instanceof NetworkError
      failures += 1
      if (!isRequestFailure || failures > transport.retries || !canRetry(error, { idempotent: true }))
        throw error
    }
    await sleep(retryDelayMs({ failures, retryAfterMs: undefined, random: Math.random }), signals)
  }
}

interface StreamOptions extends FollowOptions {
  readonly signals: readonly AbortSignal[]
  /** The stream continues after this log line. Undefined: it starts with the first line. */
  readonly lastLogId: string | undefined
}

async function* openStream(
  { http, fetchData }: Transport,
  { id, signal, signals, level, lastLogId }: StreamOptions,
): AsyncGenerator<JobEvent | LogEvent, void> {
  const request = `GET /jobs/${id}/events`
  const closing = new AbortController()
  const stream = await fetchData<ReadableStream<Uint8Array> | null | undefined>({
    request,
    idempotent: true,
    answer: 'events',
    signal,
    // The signal of the attempt has no effect once the response is there. Only `closing` ends the stream.
    fetch: (attemptSignal) =>
      http.GET('/jobs/{id}/events', {
        params: {
          path: { id },
          ...(level !== undefined && { query: { logs: level } }),
          ...(lastLogId !== undefined && { header: { 'last-event-id': lastLogId } }),
        },
        parseAs: 'stream',
        signal: AbortSignal.any([attemptSignal, closing.signal]),
      }),
  })
  try {
    if (stream) yield* parseEvents(stream, { request, signals })
  } finally {
    closing.abort()
  }
}

async function* parseEvents(
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
    const { done, value } = await readChunk(reader, { request, signals })
    if (value !== undefined) parser.feed(decoder.decode(value, { stream: true }))
    yield* events.splice(0)
    if (done) return
  }
}

/** The next bytes. A stream without a byte for long, not even a keep-alive, is broken. */
async function readChunk(
  reader: ReadableStreamDefaultReader<Uint8Array>,
  { request, signals }: { readonly request: string; readonly signals: readonly AbortSignal[] },
): Promise<{ readonly done: boolean; readonly value?: Uint8Array | undefined }> {
  const deadline = deadlineSignal(streamSilenceMsMax, signals)
  const aborted = Promise.withResolvers<never>()
  const abort = (): void => aborted.reject(deadline.signal.reason)
  if (deadline.signal.aborted) abort()
  deadline.signal.addEventListener('abort', abort, { once: true })
  try {
    return await Promise.race([reader.read(), aborted.promise])
  } catch (cause) {
    for (const callerSignal of signals) callerSignal.throwIfAborted()
    throw new NetworkError({ reason: deadline.expired() ? 'timeout' : 'lost', request, cause })
  } finally {
    deadline[Symbol.dispose]()
  }
}
