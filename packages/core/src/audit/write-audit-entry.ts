// One entry of the audit log, written in the transaction of its act.
import { sql } from 'kysely'
import type { QueueDatabase } from '../database/connect.ts'
import type { JsonValue } from '../domain/json.ts'
import type { Actor, AuditedAct } from './actor.ts'

/** What an act has changed. */
export interface Change {
  /** How many things: jobs, dead letters, queues, schedules, kinds or keys. */
  readonly count: number
  /** The queue, the dead letter, the schedule, its source, the kinds or the key that the act named. */
  readonly target?: string
  /** What chose the jobs, where nobody named them; what a sync did. */
  readonly filter?: JsonValue
  /** The jobs whose course it has changed. */
  readonly jobIds?: readonly string[]
}

/** Writes who did this. The instant is the transaction's, and so that of the act. */
export async function writeAuditEntry(
  database: QueueDatabase,
  { act, by, change }: { readonly act: AuditedAct; readonly by: Actor; readonly change: Change },
): Promise<void> {
  const filter = change.filter === undefined ? null : JSON.stringify(change.filter)
  await database.run(sql`
    INSERT INTO ${database.names.auditLog}
      (tenant_id, act, actor_type, actor, actor_name, address, request_id, count, target, filter, job_ids)
    VALUES (${by.tenantId ?? ''}, ${act}, ${by.type}, ${by.id}, ${by.name ?? null}, ${by.address ?? null},
            ${by.requestId ?? null}, ${change.count}, ${change.target ?? null}, ${filter}::jsonb,
            ${change.jobIds ?? []}::uuid[])`)
}
