/**
 * What a caller of the API may be allowed to do. Each operation over HTTP needs exactly one of these, or none where
 * everybody may call it. Only permissions that something asks for are listed: `payload:read` is asked for by every answer
 * that has the payload or the result of a job.
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
 * How far each reaches: `own`, the jobs of whoever asks; `all`, what is everybody's or the server's own. A key with bounds
 * never has the latter, whatever its role.
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

/** The bundles of permissions that a key can be made with. */
export const keyRoles = ['enqueue', 'read', 'operate', 'admin'] as const

export type KeyRole = (typeof keyRoles)[number]

const read = [
  'jobs:read',
  'dead_letters:read',
  'schedules:read',
  'kinds:read',
  'ops:read',
] as const satisfies readonly Permission[]

/** What each role may do. */
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
