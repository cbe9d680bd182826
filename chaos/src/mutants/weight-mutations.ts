import { claimLanesName } from './function-texts.ts'
import { inClaimLanes } from './lane-mutations.ts'
import type { Mutation } from './mutation.ts'

/** Defects of the weight of a job as the cost of its start. */
export const weightMutations: readonly Mutation[] = [
  inClaimLanes('a rate takes every job for one of weight 1', [
    'coalesce(c.weight, 1) AS weight, p.key',
    '1 AS weight, p.key',
  ]),
  inClaimLanes('a rate is charged one token for a start of any weight', [
    'coalesce(sum(least(w.weight, l.rate_burst)), 0)',
    'count(*)',
  ]),
  {
    name: 'a job that weighs more than a burst waits for more than it holds',
    edits: [
      { within: claimLanesName, find: 'least(w.weight, k.rate_burst)', replace: 'w.weight' },
      { within: claimLanesName, find: 'least(f.weight, s.rate_burst)', replace: 'f.weight' },
    ],
    detectedBy: 'wrong answer',
  },
  {
    name: 'what is behind a job that waits for its tokens starts before it',
    edits: [
      {
        within: claimLanesName,
        find: 'NOT f.awaits_key AND f.nth < coalesce(b.nth, 1000000)',
        replace: 'true',
      },
      // For a key, later jobs depend on the tokens that remain after the first ones.
      {
        within: claimLanesName,
        find: 'OVER (PARTITION BY w.key, w.tenant_id ORDER BY w.nth) > k.tokens',
        replace: 'OVER (PARTITION BY w.id) > k.tokens',
      },
    ],
    detectedBy: 'wrong answer',
  },
  inClaimLanes('a queue does not save its tokens up for a job that waits for them', [
    'awaited = coalesce(waiting_weight, 1)',
    'awaited = 1',
  ]),
  inClaimLanes('a key does not save its tokens up for a job that waits for them', [
    'SET awaited = p.weight',
    'SET awaited = 1',
  ]),
]
