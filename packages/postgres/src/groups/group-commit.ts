import { QueueError } from '../errors.ts'
import { isContention, isUnavailable } from '../pg-error.ts'
import { createGroupWrites, type GroupWrites } from './group-writes.ts'

export interface GroupCommitOptions<Write, Answer> {
  /** Writes a group in one statement; the answers have the order of the writes. */
  readonly apply: (writes: readonly Write[]) => Promise<readonly Answer[]>
  readonly groupMax: number
  /** Called when the database could not be reached, or a lock was in the way: the same group is sent again. */
  readonly onOutage: (error: unknown) => void
  /** Aborts when it is no longer worth waiting for the database. */
  readonly giveUp: AbortSignal
}

const retryWaitMsMin = 50
const retryWaitMsMax = 1_000

/**
 * Writes in groups, as `createGroupWrites` does. A group that met an outage or a deadlock is sent again, because each
 * write is fenced and a second answer is specified. After any other error each of its writes is sent alone, and only
 * those are rejected that fail again.
 */
export function createGroupCommit<Write, Answer>(
  options: GroupCommitOptions<Write, Answer>,
): GroupWrites<Write, Answer> {
  return createGroupWrites({
    apply: async (writes) => {
      try {
        return await applyUntilReached(writes, options)
      } catch (error) {
        if (writes.length === 1 || mayPass(error)) throw error
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
      if (!mayPass(error) || options.giveUp.aborted) throw error
      options.onOutage(error)
      await pause(waitMs, options.giveUp)
    }
  }
}

/** Whether the same write may succeed when sent again: the database was away, or a stranger's lock in the way. */
export function mayPass(error: unknown): boolean {
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
