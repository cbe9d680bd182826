import type { z } from 'zod'
import { TargetUnavailable, Undeliverable } from '../domain/dispatch-errors.ts'
import type { MessageDefinition } from '../domain/message-definition.ts'
import type { ClaimedMessage } from '../domain/message.ts'
import { type ReadMessage, readMessage } from './read-payload.ts'
import { routeOf, routesByTopic } from './routes.ts'
import type { OutboxTarget } from './target.ts'
import { traceparentOf } from './traceparent.ts'

/** The job that a message becomes, in the form of `POST /jobs`. */
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

/** The required part of `@queue/client`, so that a service with another target need not install it. */
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

/** Turns each message of `definition` into a job of the API. */
export function asApiJob<Payload extends z.ZodType>(
  definition: MessageDefinition<string, Payload>,
  job: (message: ReadMessage<Payload>) => ApiJob,
): ApiRoute {
  return { topic: definition.topic, job: (message) => job(readMessage(definition, message)) }
}

/**
 * Delivers over the HTTP API. The message's id is the idempotency key of its job, so that a second delivery creates no second
 * job. If the API refuses the job, the message is undeliverable. Any other error, and no answer in time, counts as an unavailable
 * target. Throws `invalid_options` if a topic has two routes.
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
 * Whether the API refuses the job itself, so that no retry can help. A proxy that answers with such a status refuses every
 * message, so its answers (`unrecognized`) do not count, except for a body that is too large.
 */
function isRefusal({ status, slug }: { readonly status: unknown; readonly slug: unknown }): boolean {
  if (status === 413 || slug === 'unique_conflict') return true
  return (status === 400 || status === 422) && slug !== 'unknown_kind' && slug !== 'unrecognized'
}

/**
 * Converts an error of the client into the error that tells the relay what to do. The message is not to blame for an API that
 * cannot be reached, is overloaded, does not accept our token, or does not know the kind yet (as in a rolling upgrade). The
 * client's errors are recognized by name, because the client is not a dependency.
 */
function asDispatchError(error: unknown): unknown {
  if (!(error instanceof Error)) return error
  if (error.name === 'NetworkError')
    return new TargetUnavailable(`the API cannot be reached: ${error.message}`, { cause: error })
  if (error.name !== 'ApiError' || !('status' in error)) return error
  const slug = 'error' in error ? error.error : undefined
  if (isRefusal({ status: error.status, slug }))
    return new Undeliverable(`the API refuses the job: ${error.message}`, { cause: error })
  return new TargetUnavailable(`the API cannot accept jobs: ${error.message}`, { cause: error })
}
