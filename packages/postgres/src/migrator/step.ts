import { ensureMigrationHistory, readVersion } from './migration-history.ts'
import { lockedTransaction, type LockedTransactionOptions, type WaitsFor } from './locked-transaction.ts'
import type { Migration } from './migration.ts'
import type { RunnerClient } from './runner-client.ts'
import { lockedOut, named } from './statement-failure.ts'

/** What a migration run tells while it goes on. */
export type MigrationEvent =
  | { readonly type: 'applied' | 'reverted'; readonly version: number; readonly name: string }
  | {
      /** A lock could not be had; the step is tried again. */
      readonly type: 'waiting'
      readonly version: number
      readonly tries: number
      /** For a lock of somebody else's on a table, or for another runner. */
      readonly waitsFor: WaitsFor
    }
  | {
      /** A batch of a step has been committed. */
      readonly type: 'batch'
      readonly version: number
      readonly name: string
      /** Rows that the step has gone over so far. */
      readonly rows: number
    }

/** What the roles of a migration set need of its tables. */
export interface Grants {
  /** Gives the roles that were set up what they lack of the tables that are there. */
  apply(runner: RunnerClient): Promise<void>
  /** The statements that they will be given it by, once every step has been applied. Reads only. */
  plan(runner: RunnerClient): Promise<readonly string[]>
}

/** Where the steps are run, and who hears of them. */
export interface StepContext extends RunnerClient {
  readonly grants: Grants
  readonly onProgress: (event: MigrationEvent) => void
}

/** Whether this run has done something, or another one has been there first. */
export type Outcome = 'done' | 'overtaken'

/**
 * One transaction under the runners' lock, if the schema is at version `from` then: `body` can rely on that. Throws
 * `migration_failed`, with the step and its statement, when a lock could not be had.
 */
export function stepTransaction<Result>(
  context: StepContext,
  step: Migration,
  { from, ...options }: StepTransactionOptions<Result>,
): Promise<Result | 'overtaken'> {
  return lockedTransaction<Result | 'overtaken'>(context, {
    ...options,
    body: async () => {
      await ensureMigrationHistory(context)
      const { version } = await readVersion(context)
      return version === from ? options.body() : 'overtaken'
    },
    onWait: (tries, waitsFor) =>
      context.onProgress({ type: 'waiting', version: step.version, tries, waitsFor }),
    lockedOut: (error) => lockedOut(named(step), error),
  })
}

type StepTransactionOptions<Result> = Pick<LockedTransactionOptions<Result>, 'body' | 'timeoutMs'> & {
  readonly from: number
}
