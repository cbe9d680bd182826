// The conditions under which `claim_lanes` may claim a job. Its migration and the statements that explain a wait share
// them: pnpm sql:write shows what a change does to the schema.

/** The waiting jobs `c` of the lane `p`. The columns are in the order of jobs_lane_idx. */
export const inLane = `c.queue = p.queue AND c.kind = p.kind AND c.key = p.key AND coalesce(c.tenant_id, '') = p.tenant_id
                AND c.priority = p.priority AND c.status IN ('queued', 'retrying') AND c.key IS NOT NULL
                AND c.run_at >= p.head_at`

/** The waiting jobs `c` in all lanes of the key of the lane `p`. */
export const inLanesOfKey = `c.queue = p.queue AND c.key = p.key AND coalesce(c.tenant_id, '') = p.tenant_id
                     AND c.status IN ('queued', 'retrying') AND c.key IS NOT NULL`

/** Whether the job `c` has an attempt left and has not expired at the instant `at`. */
export const mayStart = `c.attempts < c.max_attempts AND (c.expires_at IS NULL OR c.status = 'retrying' OR c.expires_at > at)`

/** Whether this worker runs jobs of this kind and version, and this claim may take jobs that crashed a worker before. */
export const isEligible = `CASE WHEN c.kind_version IS NULL THEN c.kind = ANY(runnable)
                ELSE c.kind || '/' || c.kind_version = ANY(runnable) END
                AND (c.crashes = 0 OR NOT only_steady) AND ${mayStart}`
