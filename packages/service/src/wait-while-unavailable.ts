import { setTimeout as sleep } from 'node:timers/promises'
import { QueueError } from '@queue/core'
import type { Logger } from '@queue/telemetry'
import { type NamedDatabase, refusalOf } from './database-refusal.ts'
import { explainError } from './explain-error.ts'
import { ExitError, exitCodes } from './exit-code.ts'
import { untilAborted } from './until-aborted.ts'

export interface WaitWhileUnavailableOptions<Result> {
  /** Queries the database. Called again while it throws `database_unavailable`. */
  readonly attempt: () => Promise<Result>
  readonly logger: Logger
  readonly signal: AbortSignal
  /** The longest wait in milliseconds; absent: without limit. */
  readonly waitMsMax?: number
  /** The database in the operator's terms; default: the queue's database in DATABASE_URL. */
  readonly database?: NamedDatabase
}

const backoffMsMin = 250
const backoffMsMax = 5_000

/**
 * Tries until the database answers, with a log line for each failed try and a wait that doubles from 250 ms to 5 s. Throws the
 * signal's reason if it aborts, an ExitError (1) after `waitMsMax` or if the database refuses the user, password or database of
 * its URL, and all other errors of `attempt`.
 */
export async function waitWhileUnavailable<Result>(
  options: WaitWhileUnavailableOptions<Result>,
): Promise<Result> {
  const startedAt = performance.now()
  for (let tries = 0; ; tries += 1) {
    options.signal.throwIfAborted()
    try {
      const result = await untilAborted(options.attempt(), options.signal)
      if (tries > 0) options.logger.info('the database answers', { waited_ms: msSince(startedAt) })
      return result
    } catch (error) {
      const refusal = refusalOf(error, options.database)
      if (refusal !== undefined || !isUnavailable(error)) throw refusal ?? error
      const waitMs = nextWaitMs({ tries, elapsedMs: msSince(startedAt), waitMsMax: options.waitMsMax })
      if (waitMs === undefined) throw gaveUp(error, msSince(startedAt))
      options.logger.warn('the database cannot be reached: waiting', {
        reason: reasonOf(error),
        retry_in_ms: waitMs,
      })
      await pause(waitMs, options.signal)
    }
  }
}

function isUnavailable(error: unknown): error is QueueError {
  return error instanceof QueueError && error.code === 'database_unavailable'
}

interface Elapsed {
  readonly tries: number
  readonly elapsedMs: number
  readonly waitMsMax: number | undefined
}

/** The wait before the next try; undefined if no time is left. The last try is at the time limit, not after it. */
function nextWaitMs({ tries, elapsedMs, waitMsMax }: Elapsed): number | undefined {
  const backoffMs = Math.min(backoffMsMax, backoffMsMin * 2 ** Math.min(tries, 16))
  const leftMs = waitMsMax === undefined ? Number.POSITIVE_INFINITY : waitMsMax - elapsedMs
  return leftMs <= 0 ? undefined : Math.min(backoffMs, leftMs)
}

function gaveUp(error: QueueError, waitedMs: number): ExitError {
  const message = `the database cannot be reached (${reasonOf(error)}): gave up after ${waitedMs} ms`
  return new ExitError(exitCodes.failure, message, { cause: error })
}

function reasonOf(error: QueueError): string {
  return explainError(error.cause ?? error)
}

function msSince(startedAt: number): number {
  return Math.round(performance.now() - startedAt)
}

async function pause(waitMs: number, signal: AbortSignal): Promise<void> {
  try {
    await sleep(waitMs, undefined, { signal })
  } catch {
    signal.throwIfAborted()
  }
}
