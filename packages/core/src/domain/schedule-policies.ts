/** What becomes of instants at which nobody fired: none is made up for, one for all of them, each of them. */
export const missedPolicies = ['skip', 'once', 'all'] as const
export type MissedPolicy = (typeof missedPolicies)[number]

/** Whether a run may begin while the job of an earlier one has not ended. */
export const overlapPolicies = ['allow', 'skip'] as const
export type OverlapPolicy = (typeof overlapPolicies)[number]
