// Which jobs a claim in lanes may take. Frozen text, as the rest of the step.

/** The jobs of one lane that wait: `c` in the lane `p`. The order of the columns is that of jobs_lane_idx. */
export const inLane = `c.queue = p.queue AND c.kind = p.kind AND c.key = p.key AND coalesce(c.tenant_id, '') = p.tenant_id
                AND c.priority = p.priority AND c.status IN ('queued', 'retrying') AND c.key IS NOT NULL
                AND c.run_at >= p.head_at`

/** The jobs `c` that wait in the lanes of the key of the lane `p`. */
export const ofItsKey = `c.queue = p.queue AND c.key = p.key AND coalesce(c.tenant_id, '') = p.tenant_id
                     AND c.status IN ('queued', 'retrying') AND c.key IS NOT NULL`

/** Whether a job can start at all, now. */
export const mayStart = `c.attempts < c.max_attempts AND (c.expires_at IS NULL OR c.status = 'retrying' OR c.expires_at > at)`

/** Whether this worker can run a job, and is asked for jobs like it. */
export const isEligible = `CASE WHEN c.kind_version IS NULL THEN c.kind = ANY(runnable)
                ELSE c.kind || '/' || c.kind_version = ANY(runnable) END
                AND (c.crashes = 0 OR NOT only_steady) AND ${mayStart}`
