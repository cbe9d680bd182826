import type { Actor } from '@queue/core'
import { anonymous } from './principal.ts'
import type { RequestContext } from './request-context.ts'

type ActorContext = Pick<RequestContext, 'principal' | 'client' | 'id'>

/** The actor of this request, as the audit log records it. */
export function actorOf({ principal = anonymous, client, id: requestId }: ActorContext): Actor {
  const { who, expiresAtMs } = principal
  const rightsEndAt = expiresAtMs === undefined ? {} : { rightsEndAt: new Date(expiresAtMs) }
  return { ...who, address: client, requestId, ...rightsEndAt }
}
