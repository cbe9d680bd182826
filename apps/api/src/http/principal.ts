import type { Actor, Scope } from '@queue/core'
import { isWithinBounds, type Permission, permissionReach, permissions, type Rate } from '@queue/core/access'
import { Problem } from './problem.ts'

/** Who sent a request, as far as it decides what they may do. */
export interface Principal {
  readonly permissions: ReadonlySet<Permission>
  /** The jobs that are its own; absent: everybody's. */
  readonly scope?: Scope | undefined
  /** Who it is, as the audit log has it. */
  readonly who: Pick<Actor, 'type' | 'id' | 'name'>
  /** How many requests it may send; absent: as many as it likes. */
  readonly rate?: Rate
  /** What it may do in which tenants, beside what it may do everywhere; absent: it has none of its own. */
  readonly tenants?: TenantsGrant
  /** Milliseconds since 1970, from which on its credential opens no more; absent: that is not known before. */
  readonly untilMs?: number
}

/** The tenants of a subject, of which each request is about one. */
export interface TenantsGrant {
  readonly ids: readonly string[]
  readonly permissions: ReadonlySet<Permission>
}

/** May do anything: whoever reaches a server that asks for no credentials. */
export const everybody: Principal = {
  permissions: new Set(permissions),
  who: { type: 'anyone', id: 'anyone' },
}

/** May do anything: whoever has the token. */
export const tokenHolder: Principal = {
  permissions: new Set(permissions),
  who: { type: 'token', id: 'token' },
}

/** By what name its requests are counted; undefined for whoever may do anything: those are not. */
export function countedAs({ who }: Principal): string | undefined {
  if (who.type === 'key') return who.id
  // No id of a key has a space.
  return who.type === 'subject' ? `subject ${who.id}` : undefined
}

/**
 * The principal of a request that names this tenant, or none: held to that tenant, or to its only one. Throws 403 when it
 * is not for the tenant, or has several and none is named.
 */
export function inTenant(principal: Principal, named: string | undefined): Principal {
  const { tenants, scope } = principal
  const tenantId = named ?? (isForTenantsOnly(principal) ? onlyOf(tenants?.ids ?? []) : undefined)
  if (tenantId === undefined || tenantId === scope?.tenantId) return principal
  if (tenants?.ids.includes(tenantId)) return heldTo(tenantId, { ...principal, ...tenants })
  if (scope?.tenantId !== undefined || isForTenantsOnly(principal)) {
    throw new Problem('out_of_scope', { detail: 'the tenant of Queue-Tenant is not one of this credential' })
  }
  return heldTo(tenantId, principal)
}

/** Whether it may do something, and only in its tenants. */
function isForTenantsOnly({ tenants, permissions: everywhere }: Principal): boolean {
  return tenants !== undefined && everywhere.size === 0
}

function onlyOf(ids: readonly string[]): string {
  const [id, ...others] = ids
  if (id === undefined) {
    throw new Problem('out_of_scope', { detail: 'this credential is for no tenant, and not for all' })
  }
  if (others.length === 0) return id
  throw new Problem('out_of_scope', {
    detail: 'this credential is for several tenants: name one in the header Queue-Tenant',
    members: { tenants: ids },
  })
}

function heldTo(tenantId: string, { permissions: granted, ...principal }: Principal): Principal {
  return {
    ...principal,
    permissions: new Set([...granted].filter(isWithinBounds)),
    scope: { ...principal.scope, tenantId },
  }
}

/**
 * What an operation asks of its caller: a permission; `any`, to be known; or `none`, since everybody may call it, without
 * credentials.
 */
export type Needed = Permission | 'any' | 'none'

/**
 * Throws 403, naming the permission that is missing. An operation that needs one and is reached by nobody known is a
 * 401: whatever stands in front of the router, nobody is let in by mistake.
 */
export function assertPermitted(permission: Needed, principal: Principal | undefined): void {
  if (permission === 'none') return
  if (principal === undefined) {
    throw new Problem('unauthorized', { headers: { 'www-authenticate': 'Bearer' } })
  }
  if (permission === 'any' || principal.permissions.has(permission)) return
  const beyond = principal.scope !== undefined && permissionReach[permission] === 'all'
  throw new Problem('forbidden', {
    detail: `this needs the permission ${permission}${beyond ? ', which no caller with bounds can have' : ''}`,
    members: { permission },
  })
}
