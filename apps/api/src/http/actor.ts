import type { Actor } from '@queue/core'
import type { OperationRequest } from './operation.ts'
import { everybody } from './principal.ts'
import { clientOf } from './request-context.ts'

/** Who acts by this request, and from where, as the audit log has it. */
export function actorOf({ context, raw }: Pick<OperationRequest, 'context' | 'raw'>): Actor {
  const { principal = everybody, id: requestId } = context
  const { who, untilMs } = principal
  const rightsEndAt = untilMs === undefined ? {} : { rightsEndAt: new Date(untilMs) }
  return { ...who, address: clientOf(raw), requestId, ...rightsEndAt }
}
