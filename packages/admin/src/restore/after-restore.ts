// What has to happen between a restore and the first worker: an operator's act, with every worker stopped.
import { queueMigrationSet } from '@queue/core/schema'
import {
  assertCurrent,
  readTransaction,
  type RunnerClient,
  type RunnerOptions,
  withRunnerClient,
} from '@queue/postgres'
import { type Pause, pauseAll, readPause } from './pause-all.ts'
import { countTokens, leaseTokenStep, raiseTokens } from './raise-tokens.ts'
import { readRunning, readWaiting, type Running, type WaitingJobs } from './runs-again.ts'

export interface AfterRestoreOptions extends RunnerOptions {
  /** Hears, from time to time, of how many jobs and dead letters the tokens have been raised so far. */
  readonly onProgress?: (raised: number) => void
}

/** What was done, or is to be done, and what will run again then. */
export interface AfterRestoreReport {
  readonly schema: string
  readonly queues: Pause
  readonly leaseTokens: {
    /** What each token is raised by. */
    readonly step: number
    readonly jobs: number
    readonly deadLetters: number
  }
  readonly runsAgain: Running & {
    /** By queue and kind. */
    readonly waiting: readonly WaitingJobs[]
  }
}

/**
 * Makes a restored queue safe to go on with: pauses every queue, so that nothing is claimed until somebody resumes it,
 * and raises the lease token of whatever can run again by `leaseTokenStep`, so that the next attempt has a higher token
 * than any that was given out since the backup: a system that fences by it goes on working. Tells what will run again.
 *
 * First the queues, then the tokens, batch by batch: a run that ends in its midst leaves every queue paused, and is to be
 * run again; tokens that it has raised are raised once more, which does no harm. Throws `schema_mismatch` where the schema
 * is not at this code's version, `database_unavailable` when there is no connection.
 */
export function afterRestore(options: AfterRestoreOptions): Promise<AfterRestoreReport> {
  return withRunnerClient(queueMigrationSet, options, async (runner) => {
    await readTransaction(runner, () => assertCurrent(runner))
    const queues = await pauseAll(runner)
    const raised = await raiseTokens(runner, options.onProgress ?? (() => undefined))
    return {
      ...(await readTransaction(runner, () => readReport(runner))),
      queues,
      leaseTokens: { step: leaseTokenStep, ...raised },
    }
  })
}

/** What `afterRestore` would do now. Reads only. */
export function afterRestorePlan(options: RunnerOptions): Promise<AfterRestoreReport> {
  return withRunnerClient(queueMigrationSet, options, (runner) =>
    readTransaction(runner, async () => {
      await assertCurrent(runner)
      return readReport(runner)
    }),
  )
}

async function readReport(runner: RunnerClient): Promise<AfterRestoreReport> {
  return {
    schema: runner.schema,
    queues: await readPause(runner),
    leaseTokens: { step: leaseTokenStep, ...(await countTokens(runner)) },
    runsAgain: { waiting: await readWaiting(runner), ...(await readRunning(runner)) },
  }
}
