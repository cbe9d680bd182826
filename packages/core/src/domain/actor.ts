/**
 * What is known of an actor. `key`: an API key. `subject`: a subject of the OpenID Connect issuer. `token`: a caller
 * with `API_TOKEN`. `anyone`: a caller of an API that requires no credentials. `role`: a database role, at the command
 * line.
 */
export const actorTypes = ['key', 'subject', 'token', 'anyone', 'role'] as const

export type ActorType = (typeof actorTypes)[number]

/** Who acts, and from where. */
export interface Actor {
  readonly type: ActorType
  /** The id of the key, the subject, or the name of the role; for the other types, the type itself. */
  readonly id: string
  /** The name of the key or the subject. */
  readonly name?: string | undefined
  /** The tenant that the actor is bound to; absent: none. */
  readonly tenantId?: string | undefined
  /** The address of the peer of the connection. */
  readonly address?: string | undefined
  readonly requestId?: string | undefined
  /** When the actor's credential expires; absent: it can be looked up, or does not expire. */
  readonly rightsEndAt?: Date | undefined
}

/** The acts that the audit log records, by their names there. */
export const auditedActs = [
  'job.cancel',
  'job.requeue',
  'job.undo_requeue',
  'job.reschedule',
  'job.run_now',
  'job.duplicate',
  'job.edit',
  'job.delete',
  'job.erase',
  'operation.cancel',
  'dead_letter.requeue',
  'dead_letter.delete',
  'queue.pause',
  'queue.resume',
  'queue.purge',
  'limit.set',
  'limit.delete',
  'schedule.create',
  'schedule.update',
  'schedule.delete',
  'schedule.pause',
  'schedule.resume',
  'schedule.run_now',
  'schedule.sync',
  'kind.register',
  'kind.retire',
  'key.create',
  'key.rotate',
  'key.revoke',
] as const

export type AuditedAct = (typeof auditedActs)[number]
