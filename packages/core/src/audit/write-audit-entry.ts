// Writes an entry of the audit log in the transaction of its act.
import { sql } from 'kysely'
import type { Acted } from '../database/acted.ts'
import type { QueueDatabase } from '../database/connect.ts'
import type { JsonValue } from '../domain/json.ts'
import type { Actor, AuditedAct } from '../domain/actor.ts'

/** What an act has changed. */
export interface Change {
  /** How many jobs, dead letters, queues, schedules, kinds or keys were changed. */
  readonly count: number
  /** The queue, the dead letter, the schedule, its source, the kinds or the key that the act named. */
  readonly target?: string
  /** The filter that selected the jobs, where the act did not name them; for a sync, what it did. */
  readonly filter?: JsonValue
  /** The jobs that the act changed. */
  readonly jobIds?: readonly string[]
}

/** The change of one thing that an act named, from what the act returns. */
export function changeOn(target: string): (acted: Acted<unknown>) => Change {
  return ({ changed }) => ({ count: changed ? 1 : 0, target })
}

/** The result of an act that always changes what it named, or throws. */
export async function asChange<Result>(act: Promise<Result>): Promise<Acted<Result>> {
  return { result: await act, changed: true }
}

/** Writes who did this. Its time is the transaction's, and therefore that of the act. */
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
