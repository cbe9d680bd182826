/**
 * What is known of whoever acts. `key`: an API key. `subject`: whoever the OpenID Connect issuer says. `token`: whoever has
 * `API_TOKEN`. `anyone`: whoever reaches an API that asks for no credentials. `role`: a role of the database, at the
 * command line.
 */
export const actorTypes = ['key', 'subject', 'token', 'anyone', 'role'] as const

export type ActorType = (typeof actorTypes)[number]

/** Who acts, and from where. */
export interface Actor {
  readonly type: ActorType
  /** The id of the key, the subject, or the name of the role; otherwise the type once more. */
  readonly id: string
  /** What the key or the subject is called. */
  readonly name?: string | undefined
  /** The tenant that it is held to; absent: none. */
  readonly tenantId?: string | undefined
  /** The address at the other end of the connection. */
  readonly address?: string | undefined
  readonly requestId?: string | undefined
  /** When its credential ends; absent: that can be looked up, or it has no end. */
  readonly rightsEndAt?: Date | undefined
}

/** Each act that the audit log has entries of, by the name that it has there. */
export const auditedActs = [
  'job.cancel',
  'job.requeue',
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
