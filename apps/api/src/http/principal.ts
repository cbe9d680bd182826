import type { Scope } from '@queue/core'
import { type Permission, permissionReach, permissions, type Rate } from '@queue/core/access'
import { Problem } from './problem.ts'

/** Who sent a request, as far as it decides what they may do. */
export interface Principal {
  readonly permissions: ReadonlySet<Permission>
  /** The jobs that are its own; absent: everybody's. */
  readonly scope?: Scope | undefined
  /** The id of the key that it was sent with. */
  readonly keyId?: string
  /** What that key is called. */
  readonly keyName?: string
  /** How many requests may be sent with it; absent: as many as they like. */
  readonly rate?: Rate
}

/** May do anything: whoever reaches a server that asks for no credentials. */
export const everybody: Principal = { permissions: new Set(permissions) }

/** May do anything: whoever has the token. */
export const tokenHolder: Principal = { permissions: new Set(permissions) }

/**
 * Throws 403, naming the permission that is missing. An operation that needs one and is reached by nobody known is a
 * 401: whatever stands in front of the router, nobody is let in by mistake.
 */
export function assertPermitted(permission: Permission | 'none', principal: Principal | undefined): void {
  if (permission === 'none') return
  if (principal === undefined) {
    throw new Problem('unauthorized', { headers: { 'www-authenticate': 'Bearer' } })
  }
  if (principal.permissions.has(permission)) return
  const beyond = principal.scope !== undefined && permissionReach[permission] === 'all'
  throw new Problem('forbidden', {
    detail: `this needs the permission ${permission}${beyond ? ', which no key with bounds can have' : ''}`,
    members: { permission },
  })
}
