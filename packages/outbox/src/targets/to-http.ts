import type { z } from 'zod'
import { TargetUnavailable, Undeliverable } from '../domain/dispatch-errors.ts'
import type { MessageDefinition } from '../domain/message-definition.ts'
import type { ClaimedMessage } from '../domain/message.ts'
import { type ReadMessage, readMessage } from './read-payload.ts'
import { routeOf, routesByTopic } from './routes.ts'
import type { OutboxTarget } from './target.ts'
import { traceparentOf } from './traceparent.ts'

/** What a message becomes: the members of `POST /jobs`, by their names there. */
export interface ApiJob {
  readonly kind: string
  /** Plain JSON. */
  readonly payload: object
  readonly queue?: string
  readonly priority?: number
  readonly run_at?: string
  readonly delay_ms?: number
  readonly max_attempts?: number
  readonly timeout_ms?: number
  readonly tenant_id?: string
  readonly key?: string
  readonly weight?: number
  readonly unique?: {
    readonly key: string
    readonly scope: 'waiting' | 'live' | 'window'
    readonly window_ms?: number
    readonly on_conflict?: 'return' | 'refuse' | 'replace' | 'reschedule'
    readonly max_wait_ms?: number
  }
}

/** The part of `@queue/client` that is needed, so that a service which relays otherwise need not install it. */
export interface JobClient {
  enqueue(
    kind: string,
    payload: object,
    options: Omit<ApiJob, 'kind' | 'payload'> & {
      readonly idempotency_key: string
      readonly traceparent?: string
      readonly signal: AbortSignal
    },
  ): Promise<unknown>
}

export interface ApiRoute {
  readonly topic: string
  job(message: ClaimedMessage): ApiJob
}

/** Makes a job of the API out of each message of `definition`. */
export function asApiJob<Payload extends z.ZodType>(
  definition: MessageDefinition<string, Payload>,
  job: (message: ReadMessage<Payload>) => ApiJob,
): ApiRoute {
  return { topic: definition.topic, job: (message) => job(readMessage(definition, message)) }
}

/**
 * Delivers over the HTTP API. The message's id is the idempotency key of its job, so that a message that is delivered
 * again makes no second job. Only a job that the API refuses costs its message an attempt, and its last one: any other
 * answer, and none in time, is the API's fault. Throws `invalid_options` when a topic has two routes.
 */
export function toHttp(client: JobClient, routes: readonly ApiRoute[]): OutboxTarget {
  const byTopic = routesByTopic(routes)
  return {
    topics: [...byTopic.keys()],
    onTimeout: 'unavailable',
    dispatch: async (message, { signal }) => {
      const { kind, payload, ...options } = routeOf(byTopic, message).job(message)
      const traceparent = traceparentOf(message)
      try {
        await client.enqueue(kind, payload, {
          ...options,
          ...(traceparent === undefined ? {} : { traceparent }),
          idempotency_key: message.id,
          signal,
        })
      } catch (error) {
        throw signal.aborted ? error : asDispatchError(error)
      }
    },
  }
}

/**
 * The job itself is refused, whoever sends it and whenever. The answer is then one of the API: what a proxy says with
 * these holds for every message, but for a body that is too large for it.
 */
function isRefusal({ status, slug }: { readonly status: unknown; readonly slug: unknown }): boolean {
  if (status === 413 || slug === 'unique_conflict') return true
  return (status === 400 || status === 422) && slug !== 'unknown_kind' && slug !== 'unrecognized'
}

/**
 * An API that cannot be reached, is overloaded, does not know our token or does not know the kind yet (a rolling
 * upgrade) is no fault of the message. The client's errors are told by their names: it is not a dependency.
 */
function asDispatchError(error: unknown): unknown {
  if (!(error instanceof Error)) return error
  if (error.name === 'NetworkError')
    return new TargetUnavailable(`the API cannot be reached: ${error.message}`, { cause: error })
  if (error.name !== 'ApiError' || !('status' in error)) return error
  const slug = 'error' in error ? error.error : undefined
  if (isRefusal({ status: error.status, slug }))
    return new Undeliverable(`the API refuses the job: ${error.message}`, { cause: error })
  return new TargetUnavailable(`the API cannot take jobs: ${error.message}`, { cause: error })
}
