import type { Actor, Rate, Scope, Permission } from '@queue/core'
import { isWithinBounds, permissionReach, permissions } from '@queue/core/internal'
import { Problem } from './problem.ts'

/** The sender of a request, with its permissions. */
export interface Principal {
  readonly permissions: ReadonlySet<Permission>
  /** The tenant, queues and kinds that it is restricted to. Absent: it is not restricted. */
  readonly scope?: Scope | undefined
  /** Its identity, as the audit log records it. */
  readonly who: Pick<Actor, 'type' | 'id' | 'name'>
  /** Its rate limit. Absent: it has none. */
  readonly rate?: Rate
  /** Its permissions within tenants, in addition to `permissions`. Absent: it has none. */
  readonly tenants?: TenantsGrant
  /** When its credential expires, in milliseconds since 1970. Absent: unknown. */
  readonly expiresAtMs?: number
}

/** The tenants of a subject, and its permissions in them. Each request is about one of them. */
export interface TenantsGrant {
  readonly ids: readonly string[]
  readonly permissions: ReadonlySet<Permission>
}

/** The caller of an API without authentication. It has every permission. */
export const anonymous: Principal = {
  permissions: new Set(permissions),
  who: { type: 'anyone', id: 'anyone' },
}

/** The holder of API_TOKEN. It has every permission. */
export const tokenHolder: Principal = {
  permissions: new Set(permissions),
  who: { type: 'token', id: 'token' },
}

/** The key under which rates and budgets count its requests; undefined for callers that are not limited. */
export function quotaKeyOf({ who }: Principal): string | undefined {
  if (who.type === 'key') return who.id
  // Ids of keys contain no space, so the two cannot collide.
  return who.type === 'subject' ? `subject ${who.id}` : undefined
}

/** The name under which callers take turns. Those that are not limited share one for each type of credential. */
export function callerNameOf(principal: Principal | undefined): string {
  const quotaKey = principal && quotaKeyOf(principal)
  // Names of keys and subjects do not begin with a space.
  return quotaKey ?? ` ${principal?.who.type ?? 'unknown'}`
}

/**
 * Restricts the principal to the requested tenant, or to its only tenant. Throws 403 if the tenant is not one of its own, or if
 * it has several and none was requested.
 */
export function forTenant(principal: Principal, requested: string | undefined): Principal {
  const { tenants, scope } = principal
  const tenantId =
    requested ?? (hasOnlyTenantPermissions(principal) ? soleTenantOf(tenants?.ids ?? []) : undefined)
  if (tenantId === undefined || tenantId === scope?.tenantId) return principal
  if (tenants?.ids.includes(tenantId)) return restrictToTenant({ ...principal, ...tenants }, tenantId)
  if (scope?.tenantId !== undefined || hasOnlyTenantPermissions(principal)) {
    throw new Problem('out_of_scope', {
      detail:
        'the credential has no access to the tenant in Queue-Tenant: name another one, or use another credential',
    })
  }
  return restrictToTenant(principal, tenantId)
}

/** Whether all of its permissions apply only within its tenants. */
function hasOnlyTenantPermissions({ tenants, permissions: everywhere }: Principal): boolean {
  return tenants !== undefined && everywhere.size === 0
}

function soleTenantOf(ids: readonly string[]): string {
  const [id, ...others] = ids
  if (id === undefined) {
    throw new Problem('out_of_scope', { detail: 'the credential has no tenant: ask its issuer for one' })
  }
  if (others.length === 0) return id
  throw new Problem('out_of_scope', {
    detail: 'the credential has several tenants: name one in the header Queue-Tenant',
    members: { tenants: ids },
  })
}

function restrictToTenant({ permissions: granted, ...principal }: Principal, tenantId: string): Principal {
  return {
    ...principal,
    permissions: new Set([...granted].filter(isWithinBounds)),
    scope: { ...principal.scope, tenantId },
  }
}

/** What an operation requires of its caller: a permission, any valid credential, or nothing. */
export type RequiredPermission = Permission | 'any' | 'none'

/**
 * Throws 403 with the missing permission. Throws 401 if the operation needs a permission and the caller is unknown, so that a
 * missing authentication handler cannot open the API by mistake.
 */
export function assertPermitted(permission: RequiredPermission, principal: Principal | undefined): void {
  if (permission === 'none') return
  if (principal === undefined) {
    throw new Problem('unauthorized', { headers: { 'www-authenticate': 'Bearer' } })
  }
  if (permission === 'any' || principal.permissions.has(permission)) return
  const isOutOfReach = principal.scope !== undefined && permissionReach[permission] === 'all'
  throw new Problem('forbidden', {
    detail: isOutOfReach
      ? `this needs the permission ${permission}, which scoped credentials cannot have: use one without a scope`
      : `this needs the permission ${permission}: use a credential that has it`,
    members: { permission },
  })
}

/** Finds the principal of a bearer credential; undefined if the credential is not valid. */
export type Authenticate = (credential: string) => Promise<Principal | undefined>
