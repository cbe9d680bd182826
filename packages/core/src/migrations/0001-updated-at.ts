/**
 * The `updated_at` of the job `j` after a change at the instant `at`: at least a millisecond later than before, as
 * `updatedAt` of database/instant.ts.
 */
export const updatedAt = (at: string): string =>
  `greatest(${at}, date_trunc('milliseconds', j.updated_at) + interval '1 millisecond')`
