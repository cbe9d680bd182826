/**
 * What a caller of the API may be allowed to do. Each operation over HTTP needs exactly one of these, or none where
 * everybody may call it. Only permissions that something asks for are listed.
 */
export const permissions = [
  'jobs:enqueue',
  'jobs:read',
  'jobs:control',
  'dead_letters:read',
  'dead_letters:requeue',
  'dead_letters:delete',
  'queues:control',
  'ops:read',
] as const

export type Permission = (typeof permissions)[number]
