import { isContention, isUnavailable, QueueError } from '@queue/core'

export interface GroupCommitOptions<Write, Answer> {
  /** Writes a group in one statement; the answers have the order of the writes. */
  readonly apply: (writes: readonly Write[]) => Promise<readonly Answer[]>
  readonly groupMax: number
  /** Called when the database could not be reached, or a lock was in the way: the same group is sent again. */
  readonly onOutage: (error: unknown) => void
  /** Aborts when it is no longer worth waiting for the database. */
  readonly giveUp: AbortSignal
}

/**
 * Writes the way a database commits in groups: what gathers while one group is on its way goes out as the next.
 * A group that met an outage or a deadlock is sent again, because each write is fenced and a second answer is
 * specified; any other error is given to the writers of that group alone.
 */
export interface GroupCommit<Write, Answer> {
  add(write: Write): Promise<Answer>
  /** Resolves when every write so far has its answer. */
  drained(): Promise<void>
}

interface Waiting<Write, Answer> {
  readonly write: Write
  readonly resolve: (answer: Answer) => void
  readonly reject: (error: unknown) => void
}

const retryWaitMsMin = 50
const retryWaitMsMax = 1_000

export function createGroupCommit<Write, Answer>(
  options: GroupCommitOptions<Write, Answer>,
): GroupCommit<Write, Answer> {
  let gathering: Waiting<Write, Answer>[] = []
  let writing: Promise<void> | undefined

  const writeAll = async (): Promise<void> => {
    // The first write of a turn waits for the rest of the turn, so that handlers that end together share a group.
    await Promise.resolve()
    while (gathering.length > 0) {
      const group = gathering.slice(0, options.groupMax)
      gathering = gathering.slice(options.groupMax)
      await writeGroup(group, options)
    }
    writing = undefined
  }

  return {
    drained: async () => writing,
    add: (write) =>
      new Promise((resolve, reject) => {
        gathering.push({ write, resolve, reject })
        writing ??= writeAll()
      }),
  }
}

async function writeGroup<Write, Answer>(
  group: readonly Waiting<Write, Answer>[],
  options: GroupCommitOptions<Write, Answer>,
): Promise<void> {
  try {
    const answers = await applyUntilReached(
      group.map((waiting) => waiting.write),
      options,
    )
    for (const [index, waiting] of group.entries()) waiting.resolve(answers[index] as Answer)
  } catch (error) {
    for (const waiting of group) waiting.reject(error)
  }
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
function mayPass(error: unknown): boolean {
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
