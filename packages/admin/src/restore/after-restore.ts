// The steps between a restore and the start of the first worker. An operator runs them while every worker is stopped.
import { queueMigrationSet } from '@queue/core/internal'
import {
  assertCurrent,
  readTransaction,
  type RunnerClient,
  type RunnerOptions,
  withRunnerClient,
} from '@queue/postgres'
import { type QueuePauses, pauseAll, readPause } from './pause-all.ts'
import { countTokens, leaseTokenStep, raiseTokens } from './raise-tokens.ts'
import { readRunning, readWaiting, type RunningJobs, type WaitingJobs } from './runs-again.ts'

export interface AfterRestoreOptions extends RunnerOptions {
  /** Called after each batch with the number of jobs and dead letters whose tokens have been raised so far. */
  readonly onProgress?: (raised: number) => void
}

/** What was done (or, in a plan, would be done), and which jobs will run again. */
export interface AfterRestoreReport {
  readonly schema: string
  readonly queues: QueuePauses
  readonly leaseTokens: {
    /** By how much each token is raised. */
    readonly step: number
    readonly jobs: number
    readonly deadLetters: number
  }
  readonly runsAgain: RunningJobs & {
    /** By queue and kind. */
    readonly waiting: readonly WaitingJobs[]
  }
}

/**
 * Makes a restored queue safe to use again. It pauses every queue, so that no job is claimed until an operator resumes its
 * queue. It raises the lease token of every job that can run again by `leaseTokenStep`, so that the next attempt has a
 * higher token than any that was issued after the backup: systems that fence by the token keep working. The report lists
 * what will run again.
 *
 * It first pauses the queues, then raises the tokens, batch by batch. If it is interrupted, every queue stays paused; run it
 * again. Tokens that were raised already are raised once more, which does no harm. Throws `schema_mismatch` if the schema
 * is not at this code's version, and `database_unavailable` if it cannot connect.
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
