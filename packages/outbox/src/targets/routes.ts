import { QueueError } from '@queue/core'
import type { ClaimedMessage } from '../domain/message.ts'

/** What a target does with the messages of one topic. */
export interface Route {
  readonly topic: string
}

/** The routes by their topics. Throws `invalid_options` when a topic has two. */
export function routesByTopic<One extends Route>(routes: readonly One[]): ReadonlyMap<string, One> {
  const byTopic = new Map<string, One>()
  for (const route of routes) {
    if (byTopic.has(route.topic))
      throw new QueueError('invalid_options', `the topic ${route.topic} has two places to go to`)
    byTopic.set(route.topic, route)
  }
  return byTopic
}

/** The route of a message that was claimed for these routes: only their topics are. */
export function routeOf<One extends Route>(routes: ReadonlyMap<string, One>, message: ClaimedMessage): One {
  const route = routes.get(message.topic)
  if (route === undefined)
    throw new Error(`a message of ${message.topic} was claimed without a place to go to`)
  return route
}
