import type { Mutation } from './mutation.ts'

const target = 'target AS MATERIALIZED ( SELECT j.id, j.tenant_id, j.kind, j.unique_key'

const requeuedAt = 'AND k.requeued_at = j.updated_at'

/** Defects of the acts on many, which show when acts on one change the same jobs. */
export const actMutations = {
  checksBeforeLocks: {
    name: 'an act on many checks its jobs before it locks them',
    edits: [{ within: target, find: 'ORDER BY j.id FOR UPDATE )', replace: 'ORDER BY j.id )' }],
    detectedBy: 'wrong answer',
  },
  readsOldMetadata: {
    name: 'a filter by metadata holds on the row that an act on many has found, not on the one that it has locked',
    edits: [
      {
        within: target,
        find: '"j"."metadata" ->>',
        replace: '(SELECT m.metadata FROM "queue"."jobs" AS m WHERE m.id = j.id OFFSET 0) ->>',
      },
    ],
    detectedBy: 'wrong answer',
  },
  takesHeldKeys: {
    name: 'a requeue takes the unique key of a job that has not ended',
    edits: [
      {
        within: 'AS is_held, s.scope',
        find: 'j.finished_at IS NULL',
        replace: 'false',
      },
    ],
    detectedBy: 'wrong answer',
  },
  countsSkipped: {
    name: 'an operation counts the jobs that it has skipped as changed',
    edits: [{ find: 'o.changed + $1::int', replace: 'o.changed + $1::int + $2::int' }],
    detectedBy: 'wrong answer',
  },
  undoesLaterActs: {
    name: 'an undo of a requeue also takes back what others have done to the job since',
    edits: [
      {
        within: requeuedAt,
        find: `date_trunc('milliseconds', j.updated_at)) IN ( SELECT g.id, to_timestamp(g.changed_at_ms / 1000::float8)`,
        replace: '1) IN ( SELECT g.id, 1',
      },
      { find: requeuedAt, replace: '' },
    ],
    detectedBy: 'wrong answer',
  },
  losesDeadLetters: {
    name: 'an undo of a requeue does not bring the dead letter back',
    edits: [{ find: 'WHERE k.dead_letter IS NOT NULL', replace: 'WHERE false' }],
    detectedBy: 'wrong answer',
  },
  forgetsRetries: {
    name: 'an undo of a cancel makes a retrying job a new one',
    edits: [{ find: `WHEN j.attempts > 0 OR g.status = 'retrying'`, replace: 'WHEN false' }],
    detectedBy: 'wrong answer',
  },
  movesStarts: {
    name: 'an undo of a reschedule makes a job due that was due later',
    edits: [
      {
        find: 'greatest(j.created_at, to_timestamp(g.run_at_ms / 1000::float8))',
        replace: 'j.created_at + 0 * (to_timestamp(g.run_at_ms / 1000::float8) - j.created_at)',
      },
    ],
    detectedBy: 'wrong answer',
  },
} as const satisfies Record<string, Mutation>
