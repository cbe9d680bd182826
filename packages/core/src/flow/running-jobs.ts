// The running jobs that limits count. The counters that claims use still hold jobs whose end no claim has applied yet: nothing
// applies them in a paused queue, or in one without workers.
import { type RawBuilder, sql } from 'kysely'
import type { SchemaNames } from '../database/schema-names.ts'

/** The running jobs that some limit counts, as rows with the number of `jobs` for each queue, kind, key, tenant and `counted`. */
export function runningCounted(names: SchemaNames): RawBuilder<unknown> {
  return sql`
      SELECT j.queue, j.kind, j.key, coalesce(j.tenant_id, '') AS tenant_id, j.counted, count(*) AS jobs
        FROM ${names.jobs} AS j WHERE j.locked_by IS NOT NULL AND j.counted IS NOT NULL
       GROUP BY j.queue, j.kind, j.key, coalesce(j.tenant_id, ''), j.counted`
}

/** The number of the rows `r` of `runningCounted` that the limit `l` of a queue or of a kind counts. */
export const runningUnder: RawBuilder<unknown> = sql`(
             SELECT coalesce(sum(r.jobs), 0)::integer FROM running AS r
              WHERE r.queue = l.queue
                AND CASE l.scope WHEN 'queue' THEN r.counted & 1 <> 0 ELSE r.counted & 2 <> 0 AND r.kind = l.name END)`
