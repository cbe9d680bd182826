import { claimLanesName } from './function-texts.ts'
import type { Mutation, Detection } from './mutation.ts'

/** A defect with one edit of the function that claims in lanes. */
export function inClaimLanes(
  name: string,
  [find, replace]: readonly [string, string],
  detectedBy: Detection = 'wrong answer',
): Mutation {
  return { name, edits: [{ within: claimLanesName, find, replace }], detectedBy }
}

/** Defects of the function that claims in lanes, and of the events that it reads. */
export const laneMutations: readonly Mutation[] = [
  inClaimLanes('a claim in lanes takes one more than a limit leaves', [
    'greatest(0, least(coalesce(l.max_running - c.running,',
    'greatest(0, least(coalesce(l.max_running + 1 - c.running,',
  ]),
  inClaimLanes('a claim in lanes does not count what it takes of a key', ['ELSE t.jobs END', 'ELSE 0 END']),
  inClaimLanes('a claim in lanes does not count what it takes of a queue', [
    'ELSE claimed_count END',
    'ELSE 0 END',
  ]),
  inClaimLanes('what has ended is not taken off its counter', [
    'SET running = greatest(0, c.running - f.jobs)',
    'SET running = c.running',
  ]),
  inClaimLanes('a full lane is not opened by what has ended', [
    'f.tenant_id = e.tenant_id AND f.is_full',
    'false',
  ]),
  inClaimLanes('an event about a counter that another claim holds is lost', [
    'WHERE f.ctid IS NULL AND (SELECT true',
    'WHERE false AND (SELECT true',
  ]),
  inClaimLanes('an event about a lane that another claim holds is lost', ['WHERE w.is_held', 'WHERE false']),
  inClaimLanes('a claim in lanes begins after what comes next', [
    "least(e.due_at, started_at) - interval '200 milliseconds'",
    "started_at + interval '1 hour'",
  ]),
  inClaimLanes('a claim without keys begins after what comes next', [
    "ELSE jsonb_build_array(at - interval '2 seconds'",
    "ELSE jsonb_build_array(at + interval '1 hour'",
  ]),
  inClaimLanes('a claim without keys begins where one under other limits has', [
    "AND line_filter = marks -> 'lines_of'",
    '',
  ]),
  inClaimLanes('a job without a tenant has no turn', ['AND c.tenant_id IS NULL', 'AND false']),
  inClaimLanes('what a claim has left over in a lane is lost', [
    'WHERE target.is_direct_lane AND n.next_at',
    'WHERE false AND n.next_at',
  ]),
  inClaimLanes('what a claim had no room for is lost', [
    'cardinality(used_numbers) < cardinality(direct_lanes)',
    'false',
  ]),
  inClaimLanes('a claim in lanes leaves out what a pause says', [
    'WHEN l.paused_at IS NOT NULL THEN 0',
    'WHEN false THEN 0',
  ]),
  inClaimLanes('a claim in lanes leaves out that a queue is paused', ['AND q.paused_at IS NULL', '']),
  inClaimLanes('a claim in lanes spends nothing of a rate', [
    'CASE WHEN l.rate_count IS NULL THEN c.spent_until',
    'CASE WHEN true THEN c.spent_until',
  ]),
  {
    name: 'a claim in lanes takes every lane for empty',
    edits: [
      { within: claimLanesName, find: 'WHERE (n.next_at IS NULL OR n.next_at > at)', replace: 'WHERE true' },
      { within: claimLanesName, find: `WHERE e.next_at <= at + interval '1 minute'`, replace: 'WHERE false' },
    ],
    detectedBy: 'wrong answer',
  },
  inClaimLanes('a worker without a lease claims in lanes', ['OR lease_end IS NULL OR lease_end <= at', '']),
  inClaimLanes(
    'a claim in lanes charges no attempt',
    ['attempts = j.attempts + 1', 'attempts = j.attempts'],
    'illegal transition',
  ),
  inClaimLanes(
    'a claim in lanes gives out the old token',
    ['lease_token = j.lease_token + 1', 'lease_token = j.lease_token'],
    'illegal transition',
  ),
  {
    name: 'an end does not say that a limit counted its job',
    edits: [{ find: 'FROM ended AS h WHERE h.counted IS NOT NULL', replace: 'FROM ended AS h WHERE false' }],
    detectedBy: 'wrong answer',
  },
  {
    name: 'a retry does not say that its job waits in a lane',
    edits: [{ find: 'WHERE h.key IS NOT NULL AND h.status IN', replace: 'WHERE false AND h.status IN' }],
    detectedBy: 'wrong answer',
  },
  {
    name: 'an enqueue does not say that its jobs wait in lanes',
    edits: [{ find: 'AS w WHERE w.key IS NOT NULL', replace: 'AS w WHERE false' }],
    detectedBy: 'broken invariant',
  },
  {
    name: 'a limit does not count what runs already',
    edits: [
      {
        within: 'AS c (queue, scope, name, tenant_id, running)',
        find: 'j.locked_by IS NOT NULL AND j.queue',
        replace: 'false AND j.queue',
      },
    ],
    detectedBy: 'wrong answer',
  },
]
