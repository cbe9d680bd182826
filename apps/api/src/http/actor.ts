import type { Actor } from '@queue/core'
import type { OperationRequest } from './operation.ts'
import { anonymous } from './principal.ts'
import { clientOf } from './request-context.ts'

/** The actor of this request, as the audit log records it. */
export function actorOf({ context, raw }: Pick<OperationRequest, 'context' | 'raw'>): Actor {
  const { principal = anonymous, id: requestId } = context
  const { who, expiresAtMs } = principal
  const rightsEndAt = expiresAtMs === undefined ? {} : { rightsEndAt: new Date(expiresAtMs) }
  return { ...who, address: clientOf(raw), requestId, ...rightsEndAt }
}
