/** What happens to missed runs: none is made up for, one stands for all of them, or each is enqueued. */
export const missedPolicies = ['skip', 'once', 'all'] as const
export type MissedPolicy = (typeof missedPolicies)[number]

/** Whether a run may start while the job of an earlier run is not finished. */
export const overlapPolicies = ['allow', 'skip'] as const
export type OverlapPolicy = (typeof overlapPolicies)[number]
