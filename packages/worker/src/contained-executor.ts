import type { PgClient } from '@queue/core'
import { type AttemptDefaults, type Executor, failed, isOutcome, type Outcome } from '@queue/executor'
import type { Logger } from './logger.ts'

/**
 * `executor`, held to the promises of its interface whatever it does: an attempt always comes to an outcome, and the
 * question for a kind's defaults never throws. What breaks a promise fails its attempt and nothing else.
 */
export function containExecutor(executor: Executor<PgClient>, logger: Logger): Executor<PgClient> {
  return {
    kinds: executor.kinds,
    execute: (context, job): Promise<Outcome> => {
      try {
        return Promise.resolve(executor.execute(context, job)).then(asOutcome, failed)
      } catch (error) {
        return Promise.resolve(failed(error))
      }
    },
    definition: (kind): AttemptDefaults | undefined => {
      try {
        return executor.definition?.(kind)
      } catch (error) {
        logger.error('the executor cannot give the defaults of a kind; the worker decides', { kind, error })
        return undefined
      }
    },
  }
}

function asOutcome(given: unknown): Outcome {
  try {
    return isOutcome(given) ? given : failed(new TypeError('the executor gave no outcome'))
  } catch (error) {
    // A proxy threw when it was looked at.
    return failed(error)
  }
}
