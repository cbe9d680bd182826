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
import type { Job } from '../wire.ts'

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

export interface Following {
  /**
   * The present state of a job, and then each change until it has ended. Short-lived states may be left out, the last one
   * never. A stream that breaks is opened again.
   *
   * @throws ApiError `job_not_found`.
   */
  follow(id: string, options?: CallOptions): AsyncIterable<JobEvent>
}

export function followCalls(transport: Transport): Following {
  return { follow: (id, options) => follow(transport, { id, signal: options?.signal }) }
}

interface Followed {
  readonly id: string
  readonly signal: AbortSignal | undefined
}

/** Opens stream after stream until one has shown the end of the job. */
async function* follow(transport: Transport, { id, signal }: Followed): AsyncGenerator<JobEvent, void> {
  const signals = [transport.signal, signal].filter((one) => one !== undefined)
  let last = ''
  for (let failures = 0; ; ) {
    try {
      for await (const event of openStream(transport, { id, signal, signals })) {
        failures = 0
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
}

async function* openStream(
  { http, send }: Transport,
  { id, signal, signals }: StreamOptions,
): AsyncGenerator<JobEvent, void> {
  const request = `GET /jobs/${id}/events`
  const closing = new AbortController()
  const { data } = await send<ReadableStream<Uint8Array> | null | undefined>({
    request,
    repetition: 'freely',
    signal,
    // The signal of the attempt ends with its answer; the stream goes on beyond that.
    fetch: (attempt) =>
      http.GET('/jobs/{id}/events', {
        params: { path: { id } },
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
): AsyncGenerator<JobEvent, void> {
  const events: JobEvent[] = []
  const parser = createParser({
    onEvent: ({ event, data }) => {
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
