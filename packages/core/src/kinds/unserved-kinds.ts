import { sql } from 'kysely'
import type { QueueDatabase } from '../database/connect.ts'
import { parseVersionedKind } from '../domain/kind-version.ts'
import { priorityMax, priorityMin } from '../domain/limits.ts'

/** Due jobs of a version of a kind that no live worker runs in their queue. */
export interface UnservedKind {
  readonly kind: string
  readonly version: number
  readonly queue: string
  /** As far as they are among the first that are due in their queue. */
  readonly jobs: number
}

/** Workers take such jobs within seconds: after this long nobody does. */
const dueForSeconds = 60
/** What nobody takes stays in front of its queue, and a worker passes it by; so many of each priority are looked at. */
const scannedMax = 200

/**
 * The versions of kinds that wait in vain, as far as they are among the 200 jobs of each priority of each served queue
 * that have been due for longest. Its cost does not grow with the backlog. Paused queues are left out.
 */
export async function unservedKinds(database: QueueDatabase): Promise<UnservedKind[]> {
  const { names } = database
  const rows = await database.run(sql<{ queue: string; name: string; jobs: number }>`
    WITH due AS (
      SELECT q.name AS queue, front.name
        FROM ${names.queues} AS q CROSS JOIN generate_series(${sql.lit(priorityMin)}, ${sql.lit(priorityMax)}) AS p (priority)
       CROSS JOIN LATERAL (
         SELECT j.kind || coalesce('/' || j.kind_version, '') AS name
           FROM ${names.jobs} AS j
          WHERE j.queue = q.name AND j.priority = p.priority::smallint
            AND j.status IN (${names.status.queued}, ${names.status.retrying})
            AND j.run_at < now() - ${sql.lit(dueForSeconds)} * interval '1 second'
          ORDER BY j.run_at, j.id LIMIT ${sql.lit(scannedMax)}
       ) AS front
       WHERE q.paused_at IS NULL
    )
    SELECT d.queue, d.name, count(*)::int AS jobs FROM due AS d
     WHERE NOT EXISTS (SELECT FROM ${names.workers} AS w
                        WHERE w.state = 'active' AND w.lease_expires_at >= now()
                          AND d.queue = ANY(w.queues) AND d.name = ANY(w.kinds))
     GROUP BY d.queue, d.name ORDER BY d.queue, d.name`)
  return rows.map(({ queue, name, jobs }) => ({ ...parseVersionedKind(name), queue, jobs }))
}
