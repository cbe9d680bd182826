import { QueueError } from '@queue/core'
import { assertArguments, having, listOf } from '@queue/loop/arguments'
import type { ClaimedMessage } from '../domain/message.ts'

/** The destination of the messages of one topic. */
export interface Route {
  readonly topic: string
}

/** The messages of a topic, as `defineMessage` returns them. */
export const messageRule = having('a message, which defineMessage returns', 'create')

const routeRule = (value: unknown): string | undefined =>
  typeof (value as Partial<Route> | null | undefined)?.topic === 'string'
    ? undefined
    : 'a route: asJob, asApiJob or onMessage makes one'

/** The routes by topic. Throws `invalid_options` if a topic has two. */
export function routesByTopic<RouteType extends Route>(
  routes: readonly RouteType[],
): ReadonlyMap<string, RouteType> {
  assertArguments('the target', { routes: listOf(routeRule) }, [routes])
  const byTopic = new Map<string, RouteType>()
  for (const route of routes) {
    if (byTopic.has(route.topic))
      throw new QueueError('invalid_options', `the topic ${route.topic} has two routes: remove one of them`)
    byTopic.set(route.topic, route)
  }
  return byTopic
}

/** The route of a claimed message. Only messages of topics with a route are claimed. */
export function routeOf<RouteType extends Route>(
  routes: ReadonlyMap<string, RouteType>,
  message: ClaimedMessage,
): RouteType {
  const route = routes.get(message.topic)
  if (route === undefined)
    throw new Error(`a message of the topic ${message.topic} was claimed, but the topic has no route`)
  return route
}
