import type { PgClient } from '@queue/core'
import type { Executor } from '@queue/executor'

/** An executor of `test_job` that does what a test says, even if executors must not do it. */
export function scriptExecutor(
  execute: (...input: Parameters<Executor<PgClient>['execute']>) => unknown,
  definition?: () => never,
): Executor<PgClient> {
  return {
    kinds: ['test_job'],
    execute: execute as Executor<PgClient>['execute'],
    ...(definition === undefined ? {} : { definition }),
  }
}
