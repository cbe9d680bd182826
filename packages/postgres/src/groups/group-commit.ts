import { QueueError } from '../errors.ts'
import { isContention, isUnavailable } from '../pg-error.ts'
import { createGroupWrites, type GroupWrites } from './group-writes.ts'

export interface GroupCommitOptions<Write, Answer> {
  /** Writes a group in one statement; the answers have the order of the writes. */
  readonly apply: (writes: readonly Write[]) => Promise<readonly Answer[]>
  readonly groupMax: number
  /** Called when the database could not be reached, or a lock was in the way: the same group is sent again. */
  readonly onOutage: (error: unknown) => void
  /** Aborts when nothing should wait for the database any longer. */
  readonly giveUp: AbortSignal
}

const retryWaitMsMin = 50
const retryWaitMsMax = 1_000

/**
 * Writes in groups, as `createGroupWrites` does. After an outage or a deadlock the group is sent again, which is safe
 * because each write is fenced and its second answer is specified. After any other error each of its writes is sent alone,
 * and only those that fail again are rejected.
 */
export function createGroupCommit<Write, Answer>(
  options: GroupCommitOptions<Write, Answer>,
): GroupWrites<Write, Answer> {
  return createGroupWrites({
    apply: async (writes) => {
      try {
        return await applyUntilReached(writes, options)
      } catch (error) {
        if (writes.length === 1 || isTransient(error)) throw error
        return applyEach(writes, options)
      }
    },
    groupMax: options.groupMax,
  })
}

/** One after the other, so that a refused group does not become a thousand statements at once. */
async function applyEach<Write, Answer>(
  writes: readonly Write[],
  options: GroupCommitOptions<Write, Answer>,
): Promise<Promise<Answer>[]> {
  const answers: Promise<Answer>[] = []
  for (const write of writes) {
    const answer = applyUntilReached([write], options).then(([only]) => only as Answer)
    answers.push(answer)
    await answer.catch(() => undefined)
  }
  return answers
}

async function applyUntilReached<Write, Answer>(
  writes: readonly Write[],
  options: GroupCommitOptions<Write, Answer>,
): Promise<readonly Answer[]> {
  for (let waitMs = retryWaitMsMin; ; waitMs = Math.min(waitMs * 2, retryWaitMsMax)) {
    try {
      return await options.apply(writes)
    } catch (error) {
      if (!isTransient(error) || options.giveUp.aborted) throw error
      options.onOutage(error)
      await pause(waitMs, options.giveUp)
    }
  }
}

/** Whether the same write may succeed when sent again: the database was away, or another transaction held a lock. */
export function isTransient(error: unknown): boolean {
  if (error instanceof QueueError) return error.code === 'database_unavailable'
  return isUnavailable(error) || isContention(error)
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => {
      clearTimeout(timer)
      signal.removeEventListener('abort', end)
      resolve()
    }
    const timer = setTimeout(end, ms)
    signal.addEventListener('abort', end)
    if (signal.aborted) end()
  })
}
