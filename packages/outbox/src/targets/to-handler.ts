import { assertArguments, callback } from '@queue/loop/arguments'
import type { z } from 'zod'
import type { MessageDefinition } from '../domain/message-definition.ts'
import type { ClaimedMessage } from '../domain/message.ts'
import { type ReadMessage, readMessage } from './read-payload.ts'
import { messageRule, routeOf, routesByTopic } from './routes.ts'
import type { DispatchContext, OutboxTarget } from './target.ts'

/** A definition bound to its work, for `toHandler`. */
export interface MessageHandler {
  readonly topic: string
  run(message: ClaimedMessage, context: DispatchContext): Promise<void>
}

/**
 * Binds `work` to the messages of `definition`. The message is delivered when `work` resolves. The same message may come again,
 * so the work must be idempotent by `message.id`. A payload that no longer parses is undeliverable.
 */
export function onMessage<Payload extends z.ZodType>(
  definition: MessageDefinition<string, Payload>,
  work: (message: ReadMessage<Payload>, context: DispatchContext) => unknown,
): MessageHandler {
  assertArguments('onMessage', { definition: messageRule, work: callback }, [definition, work])
  return {
    topic: definition.topic,
    run: async (message, context) => {
      await work(readMessage(definition, message), context)
    },
  }
}

/** Delivers to handlers in this process. Throws `invalid_options` if a topic has two. */
export function toHandler(handlers: readonly MessageHandler[]): OutboxTarget {
  const routes = routesByTopic(handlers)
  return {
    topics: [...routes.keys()],
    dispatch: (message, context) => routeOf(routes, message).run(message, context),
  }
}
