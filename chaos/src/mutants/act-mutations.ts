import type { Mutation } from './mutation.ts'

const target = 'target AS MATERIALIZED ( SELECT j.id, j.tenant_id, j.kind, j.unique_key'

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
} as const satisfies Record<string, Mutation>
