import { assertArguments, having, callback } from '@queue/loop/arguments'
import type { JobOptions } from '@queue/core'
import type { SnakeCase } from '@queue/core/plain'
import type { z } from 'zod'
import { TargetUnavailable, Undeliverable } from '../domain/dispatch-errors.ts'
import type { MessageDefinition } from '../domain/message-definition.ts'
import type { ClaimedMessage } from '../domain/message.ts'
import { type ReadMessage, readMessage } from './read-payload.ts'
import { messageRule, routeOf, routesByTopic } from './routes.ts'
import type { OutboxTarget } from './target.ts'
import { traceparentOf } from './traceparent.ts'

/** A value of the library in the form of the API: snake_case names, instants as text. */
type Wire<Value> = Value extends Date
  ? string
  : Value extends object
    ? { readonly [Name in keyof Value as SnakeCase<Name & string>]: Wire<Exclude<Value[Name], undefined>> }
    : Value

/** The job that a message becomes, in the form of `POST /jobs`. The message has its idempotency key and its trace. */
export type ApiJob = Wire<Omit<JobOptions, 'idempotencyKey' | 'traceContext'>> & {
  readonly kind: string
  /** Plain JSON. */
  readonly payload: object
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
  assertArguments('asApiJob', { definition: messageRule, job: callback }, [definition, job])
  return { topic: definition.topic, job: (message) => job(readMessage(definition, message)) }
}

/**
 * Delivers over the HTTP API. The message's id is the idempotency key of its job, so that a second delivery creates no second
 * job. If the API refuses the job, the message is undeliverable. A request that cannot be sent at all, because of a header or a
 * body that is no JSON, fails the attempt. Any other error, and no answer in time, counts as an unavailable target. Throws
 * `invalid_options` if a topic has two routes.
 */
export function toHttp(client: JobClient, routes: readonly ApiRoute[]): OutboxTarget {
  assertArguments('toHttp', { client: having('a client, which createClient returns', 'enqueue') }, [client])
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
        if (isDelivered(error)) return
        throw signal.aborted ? error : asDispatchError(error)
      }
    },
  }
}

/**
 * Whether the API has a job of this message already. It rejects the repetition only if the route has changed since: its
 * answer to the first delivery was lost.
 */
function isDelivered(error: unknown): boolean {
  return ((error ?? {}) as { readonly error?: unknown }).error === 'idempotency_mismatch'
}

/** The errors with a status of 400 or 422 that do not come from the job. */
const errorsOfOthers: ReadonlySet<unknown> = new Set([
  // Of the client's settings.
  'bad_request',
  'invalid_header',
  // Of a queue that does not know the kind yet, as in a rolling upgrade.
  'unknown_kind',
  // Of a proxy, which refuses every message.
  'unrecognized',
])

/** Whether the API refuses the job itself, so that no retry can help. */
function isRefusal({ status, slug }: { readonly status: unknown; readonly slug: unknown }): boolean {
  // A body that is too large for a proxy is too large for good.
  if (status === 413 || slug === 'unique_conflict') return true
  return (status === 400 || status === 422) && !errorsOfOthers.has(slug)
}

/**
 * Converts an error of the client into the error that tells the relay what to do. The message is not to blame for an API that
 * cannot be reached, is overloaded, does not accept our token, or does not know the kind yet (as in a rolling upgrade), nor for a
 * function of the caller that makes the token. Responses are recognized by their members, because the client is not a dependency,
 * and its errors have classes of their own for some statuses.
 */
function asDispatchError(error: unknown): unknown {
  if (isUnsendable(error)) return error
  const message = error instanceof Error ? error.message : String(error)
  const { status, error: slug } = (error ?? {}) as { readonly status?: unknown; readonly error?: unknown }
  if (isRefusal({ status, slug }))
    return new Undeliverable(`the API refuses the job: ${message}`, { cause: error })
  return new TargetUnavailable(`the API accepts no jobs: ${message}`, { cause: error })
}

/** Whether the request cannot be sent at all, because of its body or a header. A network failure of `fetch` has a cause. */
function isUnsendable(error: unknown): boolean {
  if (!(error instanceof TypeError)) return false
  return error.cause === undefined || ('code' in error && error.code === 'invalid_options')
}
