import { isLiveWorker } from '../database/live-worker.ts'
import { epochMs } from '@queue/postgres'
import { type RawBuilder, sql } from 'kysely'
import type { QueueDatabase } from '../database/connect.ts'
import { fromBothWaitingIndexes } from '../database/waiting-jobs.ts'
import { attentionCountMax, attentionQueuesMax } from '../domain/limits.ts'
import { oldestSnapshotSeconds } from './oldest-snapshot.ts'
import { takesWrites } from './takes-writes.ts'

/** The alert conditions that can be checked in the database, with their severity, how to end them, and their runbook. */
export const attentionConditions = {
  queue_unserved: {
    severity: 'critical',
    ends: 'start a worker that serves this queue',
    runbook: 'queue-unserved',
  },
  schedules_late: {
    severity: 'critical',
    ends: 'start a worker, or end the transaction that locks the schedules',
    runbook: 'queue-schedules-late',
  },
  schedules_stopped: {
    severity: 'critical',
    ends: 'fix each schedule by an update, or resume it',
    runbook: 'queue-schedules-late',
  },
  database_read_only: {
    severity: 'critical',
    ends: 'connect to a primary that accepts writes',
    runbook: 'queue-database-unreachable',
  },
  queue_backlog_old: {
    severity: 'warning',
    ends: 'add slots for this queue, or make its handlers faster',
    runbook: 'queue-backlog-old',
  },
  kind_unserved: {
    severity: 'warning',
    ends: 'start a worker for this queue with a handler for this version of the kind',
    runbook: 'queue-kind-unserved',
  },
  queue_paused_for_long: {
    severity: 'warning',
    ends: 'resume the queue',
    runbook: 'queue-paused-for-long',
  },
  jobs_failing: {
    severity: 'warning',
    ends: 'fix the causes in the list of errors',
    runbook: 'queue-jobs-failing',
  },
  dead_letters: {
    severity: 'warning',
    ends: 'requeue or delete them; it clears itself 15 minutes after the last one',
    runbook: 'queue-dead-letters',
  },
  workers_lost: {
    severity: 'warning',
    ends: 'find out why they were lost; it clears itself 15 minutes after the last one',
    runbook: 'queue-workers-lost',
  },
  old_snapshot: {
    severity: 'warning',
    ends: 'end the transaction that has been open for so long',
    runbook: 'queue-old-snapshot',
  },
  dead_letters_kept: {
    severity: 'info',
    ends: 'requeue or delete them',
    runbook: 'queue-dead-letters-kept',
  },
} as const satisfies Readonly<Record<string, ConditionGuide>>

interface ConditionGuide {
  readonly severity: AttentionSeverity
  /** What to do or to wait for so that the condition ends, without a capital and a full stop. */
  readonly ends: string
  /** The name of its page in docs/runbooks. */
  readonly runbook: string
}

export const attentionSeverities = ['critical', 'warning', 'info'] as const
export type AttentionSeverity = (typeof attentionSeverities)[number]
export type AttentionCondition = keyof typeof attentionConditions

/** A condition that needs attention now. */
export interface Attention extends ConditionGuide {
  readonly condition: AttentionCondition
  /** The queue or the kind; null where the condition is not about one. */
  readonly queue: string | null
  readonly kind: string | null
  /** Number of jobs, dead letters, attempts, workers or schedules. */
  readonly count: number
  /** Whether there are more: the count stops at `attentionCountMax`. */
  readonly countIsCapped: boolean
  /** Since when; null where that is unknown. */
  readonly since: Date | null
}

interface Row {
  readonly condition: AttentionCondition
  readonly queue: string | null
  readonly kind: string | null
  readonly count: number
  readonly since: number | null
}

/**
 * The conditions that need attention now, the most severe first, and among them those that have lasted longest. It
 * reads each priority of each queue, counts up to `attentionCountMax`, and reads no ended job.
 */
export async function readAttention(database: QueueDatabase): Promise<Attention[]> {
  // One query after the other, so that a reader uses only one connection.
  const rows = await database.run(
    sql<Row>`${sql.join([queueConditions(database), otherConditions(database)], sql` UNION ALL `)}`,
  )
  const snapshotSeconds = await oldestSnapshotSeconds(database)
  const writable = await takesWrites(database)
  const conditions: Row[] = [...rows]
  const databaseWide = { queue: null, kind: null, count: 1, since: null }
  if (!writable) conditions.push({ condition: 'database_read_only', ...databaseWide })
  if (snapshotSeconds !== null && snapshotSeconds > snapshotSecondsMax) {
    conditions.push({ condition: 'old_snapshot', ...databaseWide })
  }
  return conditions
    .map(decode)
    .toSorted(
      (a, b) =>
        attentionSeverities.indexOf(a.severity) - attentionSeverities.indexOf(b.severity) ||
        (a.since?.getTime() ?? 0) - (b.since?.getTime() ?? 0),
    )
}

/** The same as in the alerts: docs/operations.md. */
const snapshotSecondsMax = 1_800

function decode({ since, count, ...row }: Row): Attention {
  return {
    ...row,
    ...attentionConditions[row.condition],
    count: Math.min(count, attentionCountMax),
    countIsCapped: count > attentionCountMax,
    since: since === null ? null : new Date(since),
  }
}

/**
 * Queues without a worker, with jobs that have waited for too long, or paused for too long; and kinds that no worker of
 * the queue runs, among the jobs that are due first.
 */
function queueConditions({ names }: QueueDatabase): RawBuilder<Row> {
  const { queued, retrying } = names.status
  const waiting = sql`j.status IN (${queued}, ${retrying})`
  const firstAfter = (name: RawBuilder<unknown>) =>
    sql`SELECT f.queue FROM (${fromBothWaitingIndexes(
      'j',
      (ofIndex) =>
        sql`SELECT j.queue FROM ${names.jobs} AS j WHERE ${waiting} AND ${ofIndex} AND j.queue > ${name} ORDER BY j.queue LIMIT 1`,
    )}) AS f ORDER BY f.queue LIMIT 1`
  /** The first due jobs of each priority, at most `max` with a key and `max` without. */
  const due = (max: number) =>
    sql`generate_series(0, 9) AS p (priority) CROSS JOIN LATERAL (${fromBothWaitingIndexes(
      'j',
      (ofIndex) => sql`
           SELECT j.run_at, j.kind, j.kind_version FROM ${names.jobs} AS j
            WHERE ${waiting} AND ${ofIndex} AND j.queue = n.name AND j.priority = p.priority::smallint AND j.run_at <= now()
            ORDER BY j.run_at, j.id LIMIT ${sql.lit(max)}`,
    )})`
  return sql<Row>`
    (WITH RECURSIVE named (name) AS (
      (${firstAfter(sql`''`)})
      UNION ALL
      SELECT next.queue FROM named AS n CROSS JOIN LATERAL (${firstAfter(sql`n.name`)}) AS next
    ), states AS MATERIALIZED (
      SELECT n.name, q.paused_at, oldest.due_at,
             EXISTS (SELECT FROM ${names.workers} AS w WHERE ${isLiveWorker} AND n.name = ANY(w.queues)) AS served
        FROM (SELECT name FROM named LIMIT ${sql.lit(attentionQueuesMax)}) AS n
        LEFT JOIN ${names.queues} AS q ON q.name = n.name
       CROSS JOIN LATERAL (SELECT min(first.run_at) AS due_at FROM ${due(1)} AS first) AS oldest
    )
    SELECT c.condition, n.name AS queue, NULL::text AS kind, counted.count, ${epochMs(sql`c.since`)} AS since
      FROM states AS n CROSS JOIN LATERAL (
        SELECT 'queue_paused_for_long' AS condition, n.paused_at AS since
         WHERE n.paused_at < now() - interval '1 hour'
        UNION ALL
        SELECT 'queue_unserved', n.due_at
         WHERE n.paused_at IS NULL AND NOT n.served AND n.due_at < now() - interval '60 seconds'
        UNION ALL
        SELECT 'queue_backlog_old', n.due_at
         WHERE n.paused_at IS NULL AND n.served AND n.due_at < now() - interval '300 seconds'
      ) AS c
     CROSS JOIN LATERAL (
       SELECT count(*)::integer AS count FROM (
         SELECT FROM ${due(attentionCountMax + 1)} AS one LIMIT ${sql.lit(attentionCountMax + 1)}) AS due
     ) AS counted
    UNION ALL
    SELECT 'kind_unserved', n.name, unserved.kind, unserved.count, ${epochMs(sql`unserved.since`)}
      FROM states AS n CROSS JOIN LATERAL (
        SELECT h.kind, count(*)::integer AS count, min(h.run_at) AS since
          FROM (SELECT one.* FROM ${due(attentionCountMax + 1)} AS one LIMIT ${sql.lit(attentionCountMax + 1)}) AS h
         WHERE h.run_at < now() - interval '60 seconds'
           AND NOT EXISTS (
             SELECT FROM ${names.workers} AS w
              WHERE ${isLiveWorker} AND n.name = ANY(w.queues)
                AND h.kind || coalesce('/' || h.kind_version, '') = ANY(w.kinds))
         GROUP BY h.kind
      ) AS unserved
     WHERE n.paused_at IS NULL AND n.served AND n.due_at < now() - interval '60 seconds')`
}

/** Dead letters, failures, lost workers, and schedules that are late or have paused themselves. */
function otherConditions({ names, schema }: QueueDatabase): RawBuilder<Row> {
  const limit = sql.lit(attentionCountMax + 1)
  const ended = sql`sum(s.succeeded + s.failed + s.retried)`
  const failed = sql`sum(s.failed + s.retried)`
  return sql<Row>`
    (SELECT 'dead_letters', NULL, d.kind, count(*)::integer, ${epochMs(sql`min(d.dead_lettered_at)`)}
       FROM (SELECT d.kind, d.dead_lettered_at FROM ${names.deadLetters} AS d
              WHERE d.dead_lettered_at >= now() - interval '15 minutes'
              ORDER BY d.dead_lettered_at DESC, d.id DESC LIMIT ${limit}) AS d GROUP BY d.kind)
    UNION ALL
    (SELECT 'dead_letters_kept', NULL, NULL, count(*)::integer, ${epochMs(sql`min(d.dead_lettered_at)`)}
       FROM (SELECT d.dead_lettered_at FROM ${names.deadLetters} AS d
              WHERE d.dead_lettered_at < now() - interval '24 hours'
              ORDER BY d.dead_lettered_at, d.id LIMIT ${limit}) AS d HAVING count(*) > 0)
    UNION ALL
    (SELECT 'jobs_failing', NULL, s.kind, ${failed}::integer, ${epochMs(sql`min(s.at) FILTER (WHERE s.failed + s.retried > 0)`)}
       FROM ${names.stats} AS s
      WHERE s.period = 'minute' AND s.tenant_id = '' AND s.at >= now() - interval '15 minutes' AND s.kind NOT IN ('', '*')
      GROUP BY s.kind HAVING ${failed} >= 20::numeric AND ${failed} > 0.25 * ${ended})
    UNION ALL
    (SELECT 'workers_lost', NULL, NULL, count(*)::integer, ${epochMs(sql`min(w.lease_expires_at)`)}
       FROM ${names.workers} AS w WHERE w.state <> 'stopped' AND NOT (${isLiveWorker})
        AND w.lease_expires_at >= now() - interval '15 minutes'
     HAVING count(*) > 0)
    UNION ALL
    (SELECT 'schedules_late', NULL, NULL, count(*)::integer, ${epochMs(sql`min(s.due_at)`)}
       FROM (SELECT s.due_at FROM ${sql.id(schema, 'schedules')} AS s
              WHERE s.paused_at IS NULL AND s.due_at < now() - interval '60 seconds'
              ORDER BY s.due_at LIMIT ${limit}) AS s HAVING count(*) > 0)
    UNION ALL
    (SELECT 'schedules_stopped', NULL, NULL, count(*)::integer, ${epochMs(sql`min(s.paused_at)`)}
       FROM ${sql.id(schema, 'schedules')} AS s WHERE s.paused_reason IS NOT NULL HAVING count(*) > 0)`
}
