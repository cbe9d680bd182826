import { type DrainedAttempt, drainJobs, type DrainOptions as DrainJobsOptions } from '@queue/worker/drain'
import { connectionOf, type TestedDatabase } from './tested-database.ts'

/** The options of a worker that matter to one attempt at a time. */
export type DrainOptions = Pick<
  DrainJobsOptions,
  'attemptsMax' | 'jobTimeoutMs' | 'logger' | 'middleware' | 'queues' | 'random'
> & {
  /** What runs the jobs, one handler for each kind: those of the worker under test. */
  readonly handlers: NonNullable<DrainJobsOptions['handlers']>
}

/**
 * Runs every job that is due, in this process and one after the other, until none is: also those that the handlers
 * enqueue. A retry or a job for later is left until its time comes: see `moveTime`. A failure is in the answer, and not
 * thrown. It needs no running worker, and a worker beside it takes jobs of its own.
 */
export function drain(database: TestedDatabase, options: DrainOptions): Promise<DrainedAttempt[]> {
  return drainJobs({ ...options, ...connectionOf(database) })
}
