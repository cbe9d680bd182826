/**
 * The permissions of callers of the API. Each operation over HTTP requires exactly one of them, or none where everybody
 * may call it. Every permission here is required somewhere: answers require `payload:read` to show the payload or the
 * result of a job.
 */
export const permissions = [
  'jobs:enqueue',
  'jobs:read',
  'jobs:control',
  'jobs:edit',
  'jobs:delete',
  'payload:read',
  'dead_letters:read',
  'dead_letters:requeue',
  'dead_letters:delete',
  'queues:control',
  'limits:write',
  'schedules:read',
  'schedules:control',
  'schedules:write',
  'ops:read',
  'kinds:read',
  'kinds:write',
  'keys:read',
  'keys:revoke',
  'audit:read',
] as const

export type Permission = (typeof permissions)[number]

/**
 * What each permission reaches: `own`, the caller's jobs; `all`, things that are shared by all callers or belong to the
 * server. A key with bounds never has the latter, whatever its role.
 */
export const permissionReach: Readonly<Record<Permission, 'own' | 'all'>> = {
  'jobs:enqueue': 'own',
  'jobs:read': 'own',
  'jobs:control': 'own',
  'jobs:edit': 'own',
  'jobs:delete': 'own',
  'payload:read': 'own',
  'dead_letters:read': 'own',
  'dead_letters:requeue': 'own',
  'dead_letters:delete': 'own',
  'queues:control': 'all',
  'limits:write': 'all',
  'schedules:read': 'all',
  'schedules:control': 'all',
  'schedules:write': 'all',
  'ops:read': 'all',
  'kinds:read': 'all',
  'kinds:write': 'all',
  'keys:read': 'all',
  'keys:revoke': 'all',
  'audit:read': 'all',
}

/** The roles of keys: bundles of permissions. */
export const keyRoles = ['enqueue', 'read', 'operate', 'admin'] as const

export type KeyRole = (typeof keyRoles)[number]

const read = [
  'jobs:read',
  'dead_letters:read',
  'schedules:read',
  'kinds:read',
  'ops:read',
] as const satisfies readonly Permission[]

/** The permissions of each role. */
export const rolePermissions: Readonly<Record<KeyRole, readonly Permission[]>> = {
  enqueue: ['jobs:enqueue'],
  read,
  operate: [
    ...read,
    'jobs:control',
    'payload:read',
    'dead_letters:requeue',
    'dead_letters:delete',
    'queues:control',
    'limits:write',
    'schedules:control',
  ],
  admin: permissions,
}
