import { enqueueName } from './function-texts.ts'
import type { Mutation } from './mutation.ts'

/** A part of the statement that counts waiting jobs. */
const counting = 'AS c SET waiting = n.waiting'

function inCount(name: string, find: string, replace: string): Mutation {
  return { name, edits: [{ within: counting, find, replace }], detectedBy: 'wrong answer' }
}

/** Defects of the bound on waiting jobs, and of the count that it uses. */
export const fullQueueMutations: readonly Mutation[] = [
  {
    name: 'an enqueue does not ask which queues are full',
    edits: [{ find: 'WHERE w.waiting >= l.max_waiting', replace: 'WHERE false' }],
    detectedBy: 'wrong answer',
  },
  {
    name: 'the function that enqueues does not ask which queues are full',
    edits: [
      {
        within: enqueueName,
        find: 'AND l.max_waiting <= CASE',
        replace: 'AND false AND l.max_waiting <= CASE',
      },
    ],
    detectedBy: 'wrong answer',
  },
  {
    name: 'an enqueue goes by a count that nobody has brought up to date',
    edits: [
      {
        within: 'AS is_stale',
        find: 'w.counted_at < clock_timestamp()',
        replace: 'false AND w.counted_at < clock_timestamp()',
      },
    ],
    detectedBy: 'wrong answer',
  },
  inCount(
    'the count of what waits is never lowered',
    'SET waiting = n.waiting',
    'SET waiting = greatest(c.waiting, n.waiting)',
  ),
  inCount('the count of what waits has what no longer does', "AND j.status IN ('queued', 'retrying')", ''),
  inCount('the count of what waits leaves retries out', "IN ('queued', 'retrying')", "IN ('queued')"),
  inCount('the count of what waits leaves jobs with a key out', "coalesce(j.key, '') <> ''", 'false'),
  inCount(
    "the count of a tenant's jobs has those of others",
    'j.tenant_id = w.tenant_id',
    'j.tenant_id IS NOT NULL',
  ),
]
