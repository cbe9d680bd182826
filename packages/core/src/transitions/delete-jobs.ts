// any state but running → (gone), with everything that was written about it. A bulk action, which a worker carries out.
import { type RawBuilder, sql } from 'kysely'
import { jobsByIds } from '../database/archive.ts'
import type { QueueDatabase } from '../database/connect.ts'
import { removedUpcomingEvents, writeLeftLaneEvents } from '../database/lane-events.ts'
import { removedMetadata } from '../database/metadata-rows.ts'
import { type ChangedJob, type ChosenJobs, lockedTargets } from '../database/chosen-jobs.ts'
import type { SchemaNames } from '../database/schema-names.ts'
import { andWithin } from '../database/scope.ts'
import { slotOf } from '../unique/slots.ts'

/**
 * Removes jobs that are not running, each with its history, its log lines, its dead letter and the events that name its
 * key. The idempotency key and the unique key of each are free afterwards, also within a window.
 *
 * The first statement locks the jobs and checks them. Whoever writes about a job locks it, so the next ones see
 * everything that there is: the second one also the jobs that have left the table while the first one waited. The last locks slots in
 * the order of their keys, after the jobs.
 */
export async function deleteJobs(database: QueueDatabase, chosen: ChosenJobs): Promise<ChangedJob[]> {
  const { names } = database
  const condition = sql`j.status <> ${names.status.running} AND ${chosen.condition}`
  const locked = await database.run(sql<{ id: string }>`
    WITH ${lockedTargets(database, { ...chosen, condition })} SELECT t.id FROM target AS t`)
  const archived = await database.run(sql<{ id: string }>`
    SELECT e.id FROM ${names.endedJobs} AS e
     WHERE e.id = ANY(ARRAY(SELECT j.id FROM ${jobsByIds(names, chosen.ids)} AS j
                             WHERE j.status = ${names.status.succeeded} AND ${chosen.condition}${andWithin(database, 'j')}))
     ORDER BY e.id FOR UPDATE`)
  const ids = [...locked, ...archived].map(({ id }) => id)
  return ids.length === 0 ? [] : database.run(deleteStatement(names, ids))
}

function deleteStatement(names: SchemaNames, ids: readonly string[]): RawBuilder<ChangedJob> {
  const ofTheseJobs = sql`= ANY(${ids}::uuid[])`
  return sql`
    WITH ${removedSlots(names, ids)}, gone AS (
      DELETE FROM ${names.jobs} AS j WHERE j.id ${ofTheseJobs} RETURNING j.*
    ), waiting AS (
      SELECT g.* FROM gone AS g WHERE g.finished_at IS NULL
    ), ${writeLeftLaneEvents(names, 'waiting')}, ${removedUpcomingEvents(names, 'gone')}, gone_archived AS (
      DELETE FROM ${names.endedJobs} AS e WHERE e.id ${ofTheseJobs} RETURNING e.id, e.queue, e.tenant_id, e.metadata
    ), all_gone AS (
      SELECT g.id, g.queue, g.status, g.tenant_id, g.metadata FROM gone AS g
       UNION ALL
      SELECT g.id, g.queue, ${names.status.succeeded}, g.tenant_id, g.metadata FROM gone_archived AS g
    ), forgotten AS (
      DELETE FROM ${names.executions} AS x WHERE x.job_id ${ofTheseJobs}
    ), forgotten_logs AS (
      DELETE FROM ${names.logs} AS l WHERE l.job_id ${ofTheseJobs}
    ), ${removedMetadata(names, 'all_gone')}, removed_dead_letters AS (
      DELETE FROM ${names.deadLetters} AS d WHERE d.job_id ${ofTheseJobs}
    ), removed_undo AS (
      DELETE FROM ${names.requeuedJobs} AS k WHERE k.job_id ${ofTheseJobs}
    )
    SELECT g.id, g.queue, g.status FROM all_gone AS g ORDER BY g.id`
}

function removedSlots(names: SchemaNames, ids: readonly string[]): RawBuilder<unknown> {
  return sql`slots AS MATERIALIZED (
      SELECT s.* FROM (
        SELECT j.id, j.tenant_id, j.kind, j.unique_key FROM ${names.jobs} AS j
         WHERE j.id = ANY(${ids}::uuid[]) AND j.unique_key IS NOT NULL
         ORDER BY coalesce(j.tenant_id, '') COLLATE "C", j.kind COLLATE "C", j.unique_key COLLATE "C"
      ) AS j CROSS JOIN LATERAL (${slotOf(names)} FOR UPDATE) AS s
    ), freed AS (
      DELETE FROM ${names.uniqueSlots} AS s USING slots AS f
       WHERE s.tenant_id = f.tenant_id AND s.kind = f.kind AND s.key = f.key
    )`
}
