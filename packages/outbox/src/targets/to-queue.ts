import { createGroupedEnqueue, type JobDefinition, type JobOptions, type Queue } from '@queue/core'
import { kindRule, queueRule } from '@queue/core/internal'
import { assertArguments, object } from '@queue/loop/arguments'
import type { z } from 'zod'
import type { MessageDefinition } from '../domain/message-definition.ts'
import type { ClaimedMessage } from '../domain/message.ts'
import { asDispatchError } from './queue-errors.ts'
import { type ReadMessage, readMessage } from './read-payload.ts'
import { messageRule, routeOf, routesByTopic } from './routes.ts'
import type { OutboxTarget } from './target.ts'
import { traceparentOf } from './traceparent.ts'

/** The job that a message becomes. Its idempotency key is the message's id. */
export interface RoutedJob {
  readonly definition: JobDefinition
  readonly payload: unknown
  readonly options: Omit<JobOptions, 'idempotencyKey'>
}

export interface JobRoute {
  readonly topic: string
  job(message: ClaimedMessage): RoutedJob
}

/**
 * Turns each message of `message` into a job of `job`, with the payload that `mapping.payload` returns, or with the message's
 * own. The `traceparent` header becomes the job's trace context.
 */
export function asJob<From extends z.ZodType, To extends z.ZodType>(
  message: MessageDefinition<string, From>,
  job: JobDefinition<string, To>,
  ...mapping: z.output<From> extends z.input<To> ? [JobMapping<From, To>?] : [JobMapping<From, To>]
): JobRoute {
  const [given = {} as Partial<JobMapping<From, To>>] = mapping
  assertArguments('asJob', { message: messageRule, job: kindRule, mapping: object }, [message, job, given])
  const { payload, options } = given
  return {
    topic: message.topic,
    job: (claimed) => {
      const parsed = readMessage(message, claimed)
      return {
        definition: job,
        payload: payload === undefined ? claimed.payload : payload(parsed),
        options: options?.(parsed) ?? {},
      }
    },
  }
}

export interface JobMapping<From extends z.ZodType, To extends z.ZodType> {
  readonly payload: (message: ReadMessage<From>) => z.input<To>
  readonly options?: (message: ReadMessage<From>) => Omit<JobOptions, 'idempotencyKey'>
}

/**
 * Delivers into a queue, in the same database or another one. The message's id is the idempotency key of its job, so that a
 * second delivery creates no second job as long as the row of the first one is kept. Concurrent dispatches share an insert. If
 * the queue refuses the job, the message is undeliverable. Any other error of the queue, and no answer in time, counts as an
 * unavailable target. Throws `invalid_options` if a topic has two routes.
 */
export function toQueue(queue: Queue, routes: readonly JobRoute[]): OutboxTarget {
  assertArguments('toQueue', { queue: queueRule }, [queue])
  const byTopic = routesByTopic(routes)
  const grouped = createGroupedEnqueue(queue)
  return {
    topics: [...byTopic.keys()],
    onTimeout: 'unavailable',
    dispatch: async (message) => {
      const { definition, payload, options } = routeOf(byTopic, message).job(message)
      const traceContext = options.traceContext ?? traceparentOf(message)
      try {
        await grouped.enqueue(definition, payload, {
          ...options,
          ...(traceContext === undefined ? {} : { traceContext }),
          idempotencyKey: message.id,
        })
      } catch (error) {
        throw asDispatchError(error)
      }
    },
  }
}
