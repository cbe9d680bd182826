/**
 * The invariants of the queue's tables, which hold between any two statements. Each entry selects the rows that break it;
 * `{schema}` stands for the quoted name of the schema. Some repeat a constraint of the tables, because a test or a migration
 * may drop the constraint.
 */
export const invariants = {
  'attempts are between 0 and max_attempts': `
    SELECT id, status, attempts, max_attempts FROM {schema}.all_jobs
     WHERE attempts < 0 OR max_attempts < 1 OR attempts > max_attempts`,

  'every attempt was claimed under a token of its own': `
    SELECT id, attempts, lease_token FROM {schema}.all_jobs WHERE attempts > lease_token`,

  'exactly the running jobs are locked': `
    SELECT id, status, locked_by, locked_at FROM {schema}.all_jobs
     WHERE (status = 'running') <> (locked_by IS NOT NULL) OR (locked_by IS NULL) <> (locked_at IS NULL)`,

  'no job is in both places': `
    SELECT j.id, j.status FROM {schema}.jobs AS j JOIN {schema}.ended_jobs AS e ON e.id = j.id`,

  'a job left its table at most a day after the day of its id': `
    SELECT e.id, e.finished_at, d.day FROM {schema}.ended_jobs AS e LEFT JOIN LATERAL (
      SELECT d.day FROM {schema}.ended_days AS d WHERE e.id < d.below_id ORDER BY d.day LIMIT 1) AS d ON true
     WHERE d.day IS NULL OR e.finished_at >= d.day + interval '48 hours'`,

  'an idempotency key has its fingerprint, and a scope its unique key': `
    SELECT id, idempotency_key, unique_key, unique_scope FROM {schema}.all_jobs
     WHERE (idempotency_key IS NULL) <> (idempotency_fingerprint IS NULL) OR unique_key IS NULL AND unique_scope IS NOT NULL`,

  'exactly the ended jobs have an end': `
    SELECT id, status, finished_at FROM {schema}.all_jobs
     WHERE (status IN ('succeeded', 'failed_permanent', 'cancelled')) <> (finished_at IS NOT NULL)`,

  'a queued job has used no attempt, a running one at least one': `
    SELECT id, status, attempts FROM {schema}.all_jobs
     WHERE (status = 'queued' AND attempts > 0) OR (status = 'running' AND attempts = 0)`,

  'a waiting job can be claimed': `
    SELECT id, status, attempts, max_attempts, cancel_requested FROM {schema}.all_jobs
     WHERE status IN ('queued', 'retrying') AND (attempts >= max_attempts OR cancel_requested)`,

  'only a job that succeeded has a result': `
    SELECT id, status FROM {schema}.all_jobs WHERE result IS NOT NULL AND status <> 'succeeded'`,

  'every job that failed for good has its dead letter': `
    SELECT j.id, j.attempts FROM {schema}.all_jobs AS j
     WHERE j.status = 'failed_permanent' AND j.stripped_at IS NULL
       AND NOT EXISTS (SELECT FROM {schema}.dead_letter_jobs AS d WHERE d.job_id = j.id)`,

  'every dead letter is of a job that failed for good': `
    SELECT d.job_id, j.status FROM {schema}.dead_letter_jobs AS d JOIN {schema}.all_jobs AS j ON j.id = d.job_id
     WHERE j.status <> 'failed_permanent'`,

  // A restore raises the lease token by this step.
  'a dead letter ends with the attempt that dead-lettered the job': `
    SELECT job_id, lease_token, execution_history FROM {schema}.dead_letter_jobs
     WHERE NOT coalesce(lease_token >= (execution_history -> -1 ->> 'lease_token')::bigint
                        AND (lease_token - (execution_history -> -1 ->> 'lease_token')::bigint) % 1000000000 = 0, false)`,

  'a job succeeds once, and nothing follows': `
    SELECT x.job_id, x.lease_token, j.status, j.lease_token AS job_token
      FROM {attempts} AS x JOIN {schema}.all_jobs AS j ON j.id = x.job_id
     WHERE x.outcome = 'succeeded' AND (j.status <> 'succeeded' OR x.lease_token <> j.lease_token)`,

  'only a job that succeeded has an attempt that did': `
    SELECT j.id, j.status, j.started_at, j.worker_id FROM {schema}.all_jobs AS j
     WHERE (j.started_at IS NULL) <> (j.worker_id IS NULL)
        OR j.started_at IS NOT NULL AND (j.status <> 'succeeded' OR j.stripped_at IS NOT NULL)`,

  'a job that succeeded has the attempt that did': `
    SELECT j.id, j.lease_token FROM {schema}.all_jobs AS j
     WHERE j.status = 'succeeded' AND j.stripped_at IS NULL
       AND NOT EXISTS (SELECT FROM {attempts} AS x
                        WHERE x.job_id = j.id AND x.lease_token = j.lease_token AND x.outcome = 'succeeded')`,

  'an attempt is recorded under a token that was given out, and ends after it began': `
    SELECT x.job_id, x.lease_token, x.attempt, x.started_at, x.finished_at, j.status, j.lease_token AS job_token
      FROM {attempts} AS x JOIN {schema}.all_jobs AS j ON j.id = x.job_id
     WHERE x.lease_token > j.lease_token OR x.attempt < 1 OR x.attempt > j.max_attempts
        OR x.finished_at < x.started_at OR (j.status = 'running' AND x.lease_token = j.lease_token)`,

  'a line that was logged is of a job that is there, and of a lease that was given out': `
    SELECT l.job_id, l.lease_token, l.line, j.lease_token AS job_token
      FROM {schema}.job_logs AS l LEFT JOIN {schema}.all_jobs AS j ON j.id = l.job_id
     WHERE j.id IS NULL OR l.lease_token > j.lease_token OR l.attempt > j.max_attempts`,

  'an attempt keeps 1 000 lines, and one that counts the others': `
    SELECT job_id, lease_token, count(*) FROM {schema}.job_logs GROUP BY job_id, lease_token
    HAVING count(*) > 1001 OR sum(octet_length(message) + coalesce(octet_length(fields::text), 0)) > 2 * 262144`,

  // The history of a job is limited, so it may have fewer failures than the group counts. Old groups are deleted.
  'a failure that has a cause is counted': `
    SELECT j.id, x.fingerprint, count(*)
      FROM {schema}.job_executions AS x JOIN {schema}.all_jobs AS j ON j.id = x.job_id
     WHERE x.outcome = 'failed' AND x.fingerprint IS NOT NULL
     GROUP BY j.id, x.fingerprint, j.tenant_id, j.queue
    HAVING count(*) > coalesce((SELECT e.count FROM {schema}.job_errors AS e
                                 WHERE e.tenant_id = coalesce(j.tenant_id, '') AND e.queue = j.queue
                                   AND e.fingerprint = x.fingerprint), 0)`,

  // One statement updates both; hours are kept for 30 days.
  'the failures of a cause are those of its hours': `
    SELECT e.fingerprint, e.queue, e.sample_job_id, e.count, d.of_days, d.of_hours, d.versions
      FROM {schema}.job_errors AS e CROSS JOIN LATERAL (
        SELECT coalesce(sum(s.count), 0) AS of_days, coalesce(sum(s.of_hours), 0) AS of_hours, max(s.versions) AS versions
          FROM (SELECT d.day, sum(d.count) AS count, count(*) AS versions,
                       sum((SELECT sum(h) FROM unnest(d.hours) AS h)) AS of_hours
                  FROM {schema}.job_error_days AS d WHERE d.error_id = e.id AND d.tenant_id = e.tenant_id
                 GROUP BY d.day) AS s) AS d
     WHERE d.of_days <> d.of_hours OR d.of_days > e.count OR d.versions > 11
        OR d.of_days < e.count AND e.first_seen_at > now() - interval '30 days'
    UNION ALL
    SELECT NULL, NULL, NULL, NULL, d.count, NULL, NULL FROM {schema}.job_error_days AS d
     WHERE NOT EXISTS (SELECT FROM {schema}.job_errors AS e WHERE e.id = d.error_id AND e.tenant_id = d.tenant_id)`,

  // One statement updates both, and minutes are deleted first.
  'the numbers of an hour are at least those of its minutes': `
    SELECT m.at, m.queue, m.kind, m.tenant_id FROM (
      SELECT date_trunc('hour', s.at, 'UTC') AS at, s.queue, s.kind, s.tenant_id, sum(s.enqueued) AS enqueued,
             sum(s.started) AS started, sum(s.succeeded + s.failed + s.retried + s.cancelled) AS ended
        FROM {schema}.job_stats AS s WHERE s.period = 'minute' GROUP BY 1, 2, 3, 4) AS m
      LEFT JOIN {schema}.job_stats AS h
        ON h.period = 'hour' AND h.at = m.at AND h.queue = m.queue AND h.kind = m.kind AND h.tenant_id = m.tenant_id
     WHERE m.enqueued > coalesce(h.enqueued, 0) OR m.started > coalesce(h.started, 0)
        OR m.ended > coalesce(h.succeeded + h.failed + h.retried + h.cancelled, 0)`,

  // One statement updates both; rows past their retention are deleted in batches.
  'the numbers of a queue, and of everything, are the sums of their series': `
    SELECT * FROM (
      SELECT s.period, s.at, s.tenant_id, s.queue, s.enqueued, s.started, s.succeeded + s.failed + s.retried + s.cancelled AS ended
        FROM {schema}.job_stats AS s WHERE s.kind = '*') AS t
      FULL JOIN (
        SELECT s.period, s.at, s.tenant_id, o.queue, min(s.kind) AS of_kind, sum(s.enqueued) AS enqueued, sum(s.started) AS started,
               sum(s.succeeded + s.failed + s.retried + s.cancelled) AS ended
          FROM {schema}.job_stats AS s CROSS JOIN LATERAL unnest(ARRAY['*', nullif(s.queue, '')]) AS o (queue)
         WHERE s.kind <> '*' AND o.queue IS NOT NULL GROUP BY 1, 2, 3, 4) AS p USING (period, at, tenant_id, queue)
     WHERE at > now() - interval '47 hours'
       AND (t.enqueued, t.started, t.ended) IS DISTINCT FROM (p.enqueued, p.started, p.ended)`,

  // The history keeps a hundred attempts of a job. A requeue resets the number of attempts, and keeps the history.
  'every attempt that was charged runs, or has its history': `
    SELECT j.id, j.status, j.attempts, j.lease_token FROM {schema}.all_jobs AS j
     WHERE (SELECT count(*) FROM {attempts} AS x WHERE x.job_id = j.id) < 100 AND j.stripped_at IS NULL
       AND j.attempts > (j.status = 'running')::int
                        + (SELECT count(*) FROM {attempts} AS x
                            WHERE x.job_id = j.id AND x.outcome NOT IN ('snoozed', 'released'))`,

  'every lost attempt counts as a crash': `
    SELECT j.id, j.crashes FROM {schema}.all_jobs AS j
     WHERE j.crashes < (SELECT count(*) FROM {schema}.job_executions AS x
                         WHERE x.job_id = j.id AND x.outcome = 'lost')`,

  'what jobs are found by is their metadata, member by member': `
    SELECT coalesce(m.job_id, o.id) AS id, coalesce(m.name, o.name) AS name, m.tenant_id, m.value
      FROM {schema}.job_metadata AS m
      FULL JOIN (
        SELECT j.id, coalesce(j.tenant_id, '') AS tenant_id, d.key AS name, left(d.value, 200) AS value
          FROM {schema}.all_jobs AS j CROSS JOIN LATERAL jsonb_each_text(j.metadata) AS d
      ) AS o ON o.id = m.job_id AND o.tenant_id = m.tenant_id AND o.name = m.name AND o.value = m.value
     WHERE m.job_id IS NULL OR o.id IS NULL`,

  'a receipt is of a job that has ended, has its idempotency key, and nothing of what it carried': `
    SELECT j.id, j.status, j.idempotency_key, j.stripped_at FROM {schema}.all_jobs AS j
     WHERE j.stripped_at IS NOT NULL
       AND (j.idempotency_key IS NULL OR j.finished_at IS NULL OR j.payload <> 'null' OR num_nonnulls(j.metadata, j.result,
              j.progress, j.progress_message, j.last_error) > 0
            OR EXISTS (SELECT FROM {schema}.job_executions AS x WHERE x.job_id = j.id)
            OR EXISTS (SELECT FROM {schema}.job_logs AS l WHERE l.job_id = j.id)
            OR EXISTS (SELECT FROM {schema}.dead_letter_jobs AS d WHERE d.job_id = j.id))`,

  'no job begins for the first time after its expiry': `
    SELECT j.id, j.expires_at, j.locked_at FROM {schema}.all_jobs AS j
     WHERE j.status = 'running' AND j.attempts = 1 AND j.locked_at >= j.expires_at
       AND NOT EXISTS (SELECT FROM {schema}.job_executions AS x WHERE x.job_id = j.id)`,

  'only what was cancelled has a reason for it, and what has expired had never begun': `
    SELECT j.id, j.status, j.attempts, j.cancel_reason, j.expires_at, j.finished_at FROM {schema}.all_jobs AS j
     WHERE j.cancel_reason IS NOT NULL
       AND (j.status <> 'cancelled'
            OR j.cancel_reason = 'expired' AND (j.attempts > 0 OR j.expires_at IS NULL OR j.expires_at > j.finished_at))`,

  'what has replaced a schema of a version is not what it has replaced, and is as new as it says': `
    SELECT kind, version, digest, superseded, registered_by, registered_at, last_seen_at FROM {schema}.job_kinds
     WHERE digest = ANY(superseded) OR registered_at > last_seen_at OR jsonb_typeof(payload_schema) <> 'object'`,

  'a kind is retired with all its versions that were there': `
    SELECT old.kind, old.version, old.registered_by, retired.version AS retired_version, retired.retired_at
      FROM {schema}.job_kinds AS old JOIN {schema}.job_kinds AS retired USING (kind)
     WHERE old.retired_at IS NULL AND old.registered_at < retired.retired_at AND old.last_seen_at < retired.retired_at`,
  'an operation has not gone past the newest job that it reaches, and has ended exactly where it does not run': `
    SELECT id AS operation_id, act, state, reached, up_to, changed, skipped, finished_at FROM {schema}.operations
     WHERE (state = 'running') <> (finished_at IS NULL) OR changed < 0 OR skipped < 0
        OR (reached > up_to AND act <> 'requeue_dead_letters')`,

  'a schedule has a time at which it is due exactly where it has a next instant, and not before it': `
    SELECT name, next_run_at, due_at, jitter_ms, last_job_id FROM {schema}.schedules
     WHERE (next_run_at IS NULL) <> (due_at IS NULL) OR due_at < next_run_at
        OR due_at > next_run_at + jitter_ms * interval '1 millisecond'`,

  'a schedule goes forward: its next instant comes after its last': `
    SELECT name, last_run_at, next_run_at, last_job_id FROM {schema}.schedules WHERE next_run_at <= last_run_at`,

  'no instant that a schedule has still to fire has a job': `
    SELECT s.name, s.next_run_at, j.id, j.idempotency_key
      FROM {schema}.schedules AS s JOIN {schema}.all_jobs AS j
        ON split_part(j.idempotency_key, '@', 1) = 'schedule:' || s.name
     WHERE split_part(j.idempotency_key, '@', 2)::timestamptz >= s.next_run_at`,

  'a dead letter is of the tenant of its job': `
    SELECT d.job_id, d.tenant_id, j.tenant_id AS of_job
      FROM {schema}.dead_letter_jobs AS d JOIN {schema}.all_jobs AS j ON j.id = d.job_id
     WHERE d.tenant_id IS DISTINCT FROM j.tenant_id`,

  'an entry of the audit log has an actor, and counts the jobs that it names': `
    SELECT id, act, actor_type, actor, count, job_ids FROM {schema}.audit_log
     WHERE actor = '' OR count < cardinality(job_ids) OR at > now()`,

  'the bucket of a key holds no less than nothing, and has given nothing to come': `
    SELECT key_id, tokens, granted, filled_at FROM {schema}.api_key_buckets
     WHERE tokens < 0 OR granted < 0 OR filled_at > now()`,
  // A slot names one job, so two jobs cannot hold one key.
  'the slot of a unique key names the job that holds it': `
    SELECT j.id, j.status, j.unique_key, j.unique_scope FROM {schema}.all_jobs AS j
     WHERE (j.unique_scope = 'live' AND j.finished_at IS NULL
            OR j.unique_scope = 'waiting' AND j.status = 'queued' AND j.lease_token % 1000000000 = 0)
       AND NOT (j.status = 'queued' AND coalesce(j.expires_at <= now(), false))
       AND NOT EXISTS (SELECT FROM {schema}.job_unique_slots AS s
                        WHERE s.tenant_id = coalesce(j.tenant_id, '') AND s.kind = j.kind AND s.key = j.unique_key
                          AND s.job_id = j.id)`,

  'a job with a key that waits has an event to come, or a lane that begins before it': `
    SELECT j.id, j.queue, j.kind, j.key, j.run_at FROM {schema}.all_jobs AS j
     WHERE j.status IN ('queued', 'retrying') AND j.key IS NOT NULL
       AND NOT EXISTS (SELECT FROM {schema}.lane_events AS e
                        WHERE e.queue = j.queue AND e.kind = j.kind AND e.key = j.key AND e.priority = j.priority
                          AND e.tenant_id = coalesce(j.tenant_id, '') AND e.due_at <= j.run_at)
       AND NOT EXISTS (SELECT FROM {schema}.lanes AS l
                        WHERE l.queue = j.queue AND l.kind = j.kind AND l.key = j.key AND l.priority = j.priority
                          AND l.tenant_id = coalesce(j.tenant_id, '') AND l.head_at <= j.run_at
                          AND j.run_at <= clock_timestamp())`,

  'exactly running jobs are counted': `
    SELECT id, status, counted FROM {schema}.all_jobs WHERE counted IS NOT NULL AND (status <> 'running' OR counted NOT BETWEEN 1 AND 7)`,

  'each counter of a limit has the jobs that it counts, and those that have ended since a claim last looked': `
    WITH scopes (scope, mark) AS (VALUES ('queue', 1), ('kind', 2), ('key', 4)),
    counted AS (
      SELECT j.queue, s.scope, CASE s.scope WHEN 'queue' THEN '' WHEN 'kind' THEN j.kind ELSE j.key END AS name,
             CASE s.scope WHEN 'key' THEN coalesce(j.tenant_id, '') ELSE '' END AS tenant_id, 1 AS jobs,
             j.id::text AS a_job
        FROM {schema}.all_jobs AS j, scopes AS s WHERE j.counted & s.mark <> 0
      UNION ALL
      SELECT e.queue, s.scope, CASE s.scope WHEN 'queue' THEN '' WHEN 'kind' THEN e.kind ELSE e.key END,
             CASE s.scope WHEN 'key' THEN e.tenant_id ELSE '' END, e.jobs, NULL
        FROM {schema}.lane_events AS e, scopes AS s WHERE e.counted & s.mark <> 0
    ), sums AS (
      SELECT queue, scope, name, tenant_id, sum(jobs) AS jobs, min(a_job) AS a_job FROM counted GROUP BY queue, scope, name, tenant_id
    )
    SELECT * FROM sums AS s FULL JOIN {schema}.limit_counters AS c USING (queue, scope, name, tenant_id)
     WHERE coalesce(s.jobs, 0) <> coalesce(c.running, 0)`,

  'a lane is full only under a limit of its key': `
    SELECT * FROM {schema}.lanes AS l
     WHERE l.is_full AND NOT EXISTS (SELECT FROM {schema}.lane_events AS e
                                      WHERE e.queue = l.queue AND e.key = l.key AND e.tenant_id = l.tenant_id AND e.counted IS NOT NULL)
       AND NOT EXISTS (
         SELECT FROM {schema}.limits AS r
           LEFT JOIN {schema}.limit_counters AS c
             ON c.queue = l.queue AND c.scope = 'key' AND c.name = l.key AND c.tenant_id = l.tenant_id
          WHERE r.queue = l.queue AND (r.scope = 'each_key' OR r.scope = 'key' AND r.name = l.key)
            AND (r.paused_at IS NOT NULL OR c.running >= r.max_running
                 OR r.on_retry IS NOT NULL
                    AND (c.running >= 1
                         OR EXISTS (SELECT FROM {schema}.lanes AS o WHERE o.queue = l.queue AND o.key = l.key
                                       AND o.tenant_id = l.tenant_id AND NOT o.is_full)
                         OR EXISTS (SELECT FROM {schema}.lane_events AS e
                                     WHERE e.queue = l.queue AND e.key = l.key AND e.tenant_id = l.tenant_id))))`,

  'a lane that is ready in a fair queue has its turns': `
    SELECT l.* FROM {schema}.lanes AS l
     WHERE l.share IS NOT NULL AND NOT l.is_full
       AND NOT EXISTS (SELECT FROM {schema}.lane_turns AS t
                        WHERE t.queue = l.queue AND t.priority = l.priority AND t.share = l.share)`,

  'each limit on what waits has its count, and each count its limit': `
    SELECT * FROM {schema}.waiting_counts AS w
      FULL JOIN (SELECT l.queue, CASE l.scope WHEN 'tenant' THEN l.name ELSE '' END AS tenant_id
                   FROM {schema}.limits AS l WHERE l.max_waiting IS NOT NULL) AS l USING (queue, tenant_id)
     WHERE w.waiting IS NULL OR l.queue IS NULL`,

  // Jobs that ran or waited for a retry when the order was set are exempt.
  'jobs of a key in order run one at a time, and none beside one that holds it for its retry': `
    SELECT j.id, j.queue, j.key, o.id AS other_id, o.status AS other_status, r.on_retry
      FROM {schema}.limits AS r
      JOIN {schema}.all_jobs AS j ON j.queue = r.queue AND j.status = 'running' AND j.locked_at > r.updated_at
      JOIN {schema}.all_jobs AS o ON o.queue = j.queue AND o.key = j.key AND o.tenant_id IS NOT DISTINCT FROM j.tenant_id AND o.id <> j.id
     WHERE r.on_retry IS NOT NULL
       AND (o.status = 'running' AND o.locked_at <= j.locked_at
            OR o.status = 'retrying' AND r.on_retry = 'block' AND EXISTS (
              SELECT FROM {schema}.job_executions AS x
               WHERE x.job_id = o.id AND x.started_at > r.updated_at AND x.finished_at <= j.locked_at))`,
} as const satisfies Record<string, string>

export type Invariant = keyof typeof invariants
