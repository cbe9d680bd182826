// any state but running → (gone), with history, logs and dead letter. A bulk action, which a worker carries out.
import { type RawBuilder, sql } from 'kysely'
import type { QueueDatabase } from '../database/connect.ts'
import { writeLeftLaneEvents } from '../database/lane-events.ts'
import { removedMetadata } from '../database/metadata-rows.ts'
import { type ChangedJob, type ChosenJobs, lockedTargets, targetIds } from '../database/chosen-jobs.ts'
import type { SchemaNames } from '../database/schema-names.ts'
import { slotOf } from '../unique/slots.ts'

/**
 * Removes jobs that are not running, each with its history, its log lines and its dead letter. The idempotency key and
 * the unique key of each are free afterwards, also within a window. Slots are locked in the order of their keys, after
 * the jobs.
 */
export function deleteJobs(database: QueueDatabase, chosen: ChosenJobs): Promise<ChangedJob[]> {
  const { names } = database
  const condition = sql`j.status <> ${names.status.running} AND ${chosen.condition}`
  const goneIds = sql`ANY(ARRAY(SELECT gone.id FROM gone))`
  return database.run(sql<ChangedJob>`
    WITH ${lockedTargets(database, { ...chosen, condition })}, ${removedSlots(names)}, gone AS (
      DELETE FROM ${names.jobs} AS j WHERE j.id = ${targetIds} RETURNING j.id, j.queue, j.status, j.tenant_id, j.metadata,
             j.kind, j.priority, CASE WHEN j.finished_at IS NULL THEN j.key END AS key
    ), ${writeLeftLaneEvents(names, 'gone')}, forgotten AS (
      DELETE FROM ${names.executions} AS x WHERE x.job_id = ${goneIds}
    ), forgotten_logs AS (
      DELETE FROM ${names.logs} AS l WHERE l.job_id = ${goneIds}
    ), ${removedMetadata(names, 'gone')}, removed_dead_letters AS (
      DELETE FROM ${names.deadLetters} AS d WHERE d.job_id = ${goneIds}
    )
    SELECT g.id, g.queue, g.status FROM gone AS g ORDER BY g.id`)
}

function removedSlots(names: SchemaNames): RawBuilder<unknown> {
  return sql`slots AS MATERIALIZED (
      SELECT s.* FROM (
        SELECT t.* FROM target AS t WHERE t.unique_key IS NOT NULL
         ORDER BY coalesce(t.tenant_id, '') COLLATE "C", t.kind COLLATE "C", t.unique_key COLLATE "C"
      ) AS j CROSS JOIN LATERAL (${slotOf(names)} FOR UPDATE) AS s
    ), freed AS (
      DELETE FROM ${names.uniqueSlots} AS s USING slots AS f
       WHERE s.tenant_id = f.tenant_id AND s.kind = f.kind AND s.key = f.key
    )`
}
