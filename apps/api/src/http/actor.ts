import type { Actor } from '@queue/core'
import type { OperationRequest } from './operation.ts'
import { tokenHolder } from './principal.ts'
import { clientOf } from './request-context.ts'

/** Who acts by this request, and from where, as the audit log has it. */
export function actorOf({ context, raw }: Pick<OperationRequest, 'context' | 'raw'>): Actor {
  const { principal, id: requestId } = context
  const from = { address: clientOf(raw), requestId }
  if (principal?.keyId !== undefined) {
    return { type: 'key', id: principal.keyId, name: principal.keyName, ...from }
  }
  const type = principal === tokenHolder ? 'token' : 'anyone'
  return { type, id: type, ...from }
}
