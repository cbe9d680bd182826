// The bounds of a key, which restrict it beyond its permissions.
import type { Scope } from '../database/scope.ts'
import { type Permission, permissionReach } from './permissions.ts'

/** The bounds of a key; null where a bound is not set. */
export interface KeyBounds {
  readonly tenantId: string | null
  readonly queues: readonly string[] | null
  readonly kinds: readonly string[] | null
}

/** The bounds in the form of the table. */
export interface KeyBoundsRow {
  readonly tenant_id: string | null
  readonly queues: readonly string[] | null
  readonly kinds: readonly string[] | null
}

/** The scope of requests with a key; undefined where the key has no bounds. */
export function scopeOf({ tenant_id: tenantId, queues, kinds }: KeyBoundsRow): Scope | undefined {
  if (tenantId === null && queues === null && kinds === null) return undefined
  return {
    ...(tenantId !== null && { tenantId }),
    ...(queues !== null && { queues }),
    ...(kinds !== null && { kinds }),
  }
}

/** Whether a key with bounds can have this permission. */
export function isWithinBounds(permission: Permission): boolean {
  return permissionReach[permission] === 'own'
}
