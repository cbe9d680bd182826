/** The keys and permissions of the API, the actors, and the privileges of each process on each table. */
export { type Actor, actorTypes, type AuditedAct, auditedActs } from './domain/actor.ts'
export { roleActor } from './audit/role-actor.ts'
export { writeAuditEntry } from './audit/write-audit-entry.ts'
export {
  formatApiKey,
  parseApiKey,
  digestSecret,
  keyIdLength,
  keySecretBytes,
} from './access/api-key-text.ts'
export { isWithinBounds, type KeyBounds } from './access/key-bounds.ts'
export { countEarlyEnds } from './access/count-early-ends.ts'
export { createKey, type KeyWrite, type NewKey, rotateKey } from './access/create-key.ts'
export { type Claims, createSession, type NewSession } from './access/create-session.ts'
export { deleteSession } from './access/delete-session.ts'
export { findKeys, type StoredKey } from './access/find-keys.ts'
export { findSessions, type StoredSession } from './access/find-sessions.ts'
export { listKeys } from './access/list-keys.ts'
export { noteKeyUse } from './access/note-key-use.ts'
export {
  type KeyRole,
  keyRoles,
  type Permission,
  permissionReach,
  permissions,
  rolePermissions,
} from './access/permissions.ts'
export { privilegeMatrix, queueAccess } from './access/privilege-matrix.ts'
export { processes, type RoleNames } from './access/process-roles.ts'
export { formatRate, parseRate, type Rate, rateForm } from './access/rate.ts'
export { revokeKey } from './access/revoke-key.ts'
export { takeRequests, type TakenRequests } from './access/take-requests.ts'
