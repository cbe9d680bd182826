import { type DrainedAttempt, drainJobs, type DrainOptions as DrainJobsOptions } from '@queue/worker/drain'
import { assertArguments, object } from '@queue/loop/arguments'
import { connectionOf, type TestedDatabase } from './tested-database.ts'

/** The options of a worker that apply when it runs one attempt at a time. */
export type DrainOptions = Pick<
  DrainJobsOptions,
  'attemptsMax' | 'jobTimeoutMs' | 'logger' | 'middleware' | 'queues' | 'random'
> & {
  /** The handlers of the worker under test, one for each kind. */
  readonly handlers: NonNullable<DrainJobsOptions['handlers']>
}

/**
 * Runs every job that is due in this process, one after the other, including the jobs that handlers enqueue, until none is
 * due. Retries and jobs for later stay until they are due: see `moveTime`. Failures are in the result and not thrown. It
 * needs no running worker. A worker that runs at the same time claims jobs as well.
 */
export async function drain(database: TestedDatabase, options: DrainOptions): Promise<DrainedAttempt[]> {
  const connection = connectionOf(database)
  assertArguments('drain', { options: object }, [options])
  return drainJobs({ ...options, ...connection })
}
