import { QueueError } from './errors.ts'
import { isContention, isUnavailable } from './pg-error.ts'

export interface GroupWritesOptions<Write, Answer> {
  /**
   * Writes one group. The answers have the order of the writes. An answer may be a promise; the next group does not wait
   * for it. A rejection rejects every write of the group.
   */
  readonly apply: (writes: readonly Write[]) => Promise<readonly (Answer | Promise<Answer>)[]>
  /** Writes in a group at most. */
  readonly groupMax: number
  /** What one write adds to the weight of its group; default 0. */
  readonly weigh?: (write: Write) => number
  /** A group takes no further write when its weight has reached this. */
  readonly weightMax?: number
}

/**
 * Writes as a database does in a group commit: writes that gather while one group is under way form the next group. There
 * is no timer: when nothing is under way, a write goes out at once.
 */
export interface GroupWrites<Write, Answer> {
  /** Resolves with the answer to this write. */
  add(write: Write): Promise<Answer>
  /** Resolves when nothing is under way. */
  drained(): Promise<void>
}

interface Waiting<Write, Answer> {
  readonly write: Write
  readonly resolve: (answer: Answer | Promise<Answer>) => void
  readonly reject: (error: unknown) => void
}

export function createGroupWrites<Write, Answer>(
  options: GroupWritesOptions<Write, Answer>,
): GroupWrites<Write, Answer> {
  let gathering: Waiting<Write, Answer>[] = []
  let writing: Promise<void> | undefined

  const writeAll = async (): Promise<void> => {
    // The first write waits for the end of the current turn, with all promises that are settled by now, so that writes
    // that come together share a group: the end of one job is often followed by that of another.
    await new Promise<void>((resolve) => process.nextTick(resolve))
    while (gathering.length > 0) {
      const size = groupSize(gathering, options)
      const group = gathering.slice(0, size)
      gathering = gathering.slice(size)
      await writeGroup(group, options.apply)
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

function groupSize<Write, Answer>(
  gathering: readonly Waiting<Write, Answer>[],
  { groupMax, weigh = () => 0, weightMax = Number.POSITIVE_INFINITY }: GroupWritesOptions<Write, Answer>,
): number {
  let weight = 0
  const heavy = gathering.findIndex(({ write }) => (weight += weigh(write)) >= weightMax)
  return Math.min(groupMax, heavy === -1 ? gathering.length : heavy + 1)
}

async function writeGroup<Write, Answer>(
  group: readonly Waiting<Write, Answer>[],
  apply: GroupWritesOptions<Write, Answer>['apply'],
): Promise<void> {
  try {
    const answers = await apply(group.map((waiting) => waiting.write))
    for (const [index, waiting] of group.entries())
      waiting.resolve(answers[index] as Answer | Promise<Answer>)
  } catch (error) {
    for (const waiting of group) waiting.reject(error)
  }
}

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
