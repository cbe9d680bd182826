import { ensureMigrationHistory, readVersion } from './migration-history.ts'
import { lockedTransaction, type LockedTransactionOptions, type WaitsFor } from './locked-transaction.ts'
import type { Migration } from './migration.ts'
import type { RunnerClient } from './runner-client.ts'
import { lockedOut, named } from './statement-failure.ts'

/** An event of a migration run. */
export type MigrationEvent =
  | { readonly type: 'applied' | 'reverted'; readonly version: number; readonly name: string }
  | {
      /** A lock could not be taken; the step is tried again. */
      readonly type: 'waiting'
      readonly version: number
      readonly tries: number
      /** Whether another session holds a lock on a table, or another runner is at work. */
      readonly waitsFor: WaitsFor
    }
  | {
      /** A batch of a step has been committed. */
      readonly type: 'batch'
      readonly version: number
      readonly name: string
      /** How many rows the step has processed so far. */
      readonly rows: number
    }

/** The privileges that the roles of a migration set need on its tables. */
export interface Grants {
  /** Grants the existing roles the privileges that they lack on the existing tables. */
  apply(runner: RunnerClient): Promise<void>
  /** The statements with which `apply` will do so once every step has been applied. Reads only. */
  plan(runner: RunnerClient): Promise<readonly string[]>
}

/** The connection on which steps run, and the receiver of their events. */
export interface StepContext extends RunnerClient {
  readonly grants: Grants
  readonly onProgress: (event: MigrationEvent) => void
}

/** Whether this run did the work, or another run did it first. */
export type Outcome = 'done' | 'overtaken'

/**
 * Runs `body` in one transaction under the runners' lock, if the schema is then at version `from`. Throws `migration_failed`,
 * with the step and its statement, if a lock could not be taken.
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
