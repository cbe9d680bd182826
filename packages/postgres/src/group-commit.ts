import { QueueError } from './errors.ts'
import { isContention, isUnavailable } from './pg-error.ts'

export interface GroupWritesOptions<Write, Answer> {
  /**
   * Writes one group. Resolves with the answers in the order of the writes. An answer may be a promise, for which the next group
   * does not wait. A rejection rejects every write of the group.
   */
  readonly apply: (writes: readonly Write[]) => Promise<readonly (Answer | Promise<Answer>)[]>
  /** The maximum number of writes in a group. */
  readonly groupMax: number
  /** Returns the weight of a write; default 0. */
  readonly weigh?: (write: Write) => number
  /** A group is complete when the weight of its writes has reached this. */
  readonly weightMax?: number
  /** Called with the weight of a write when it is added, and with its negative when it has its answer. */
  readonly onWaiting?: (weight: number) => void
}

/**
 * Groups writes as a database does in a group commit: the writes that are added while a group is in flight form the next group.
 * There is no timer. If no group is in flight, a write is sent at once.
 */
export interface GroupWrites<Write, Answer> {
  /** Resolves with the answer to this write. */
  add(write: Write): Promise<Answer>
  /** Resolves when no write is in flight. */
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
  const { weigh = weightless, onWaiting = ignore } = options
  let gathering: Waiting<Write, Answer>[] = []
  let writing: Promise<void> | undefined

  const writeAll = async (): Promise<void> => {
    // The first write waits for the end of the current turn of the event loop, so that writes that come together share a group.
    // The end of one job is often followed directly by that of another.
    await new Promise<void>((resolve) => process.nextTick(resolve))
    while (gathering.length > 0) {
      const size = groupSize(gathering, options)
      const group = gathering.slice(0, size)
      gathering = gathering.slice(size)
      await writeGroup(group, options.apply)
      for (const { write } of group) onWaiting(-weigh(write))
    }
    writing = undefined
  }

  return {
    drained: async () => writing,
    add: (write) =>
      new Promise((resolve, reject) => {
        gathering.push({ write, resolve, reject })
        onWaiting(weigh(write))
        writing ??= writeAll()
      }),
  }
}

function weightless(): number {
  return 0
}

function ignore(): void {}

function groupSize<Write, Answer>(
  gathering: readonly Waiting<Write, Answer>[],
  { groupMax, weigh = weightless, weightMax = Number.POSITIVE_INFINITY }: GroupWritesOptions<Write, Answer>,
): number {
  let weight = 0
  const fullAt = gathering.findIndex(({ write }) => (weight += weigh(write)) >= weightMax)
  return Math.min(groupMax, fullAt === -1 ? gathering.length : fullAt + 1)
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

export interface GroupCommitOptions<Write, Answer>
  extends Pick<GroupWritesOptions<Write, Answer>, 'weigh' | 'onWaiting'> {
  /** Writes a group in one statement. Resolves with the answers in the order of the writes. */
  readonly apply: (writes: readonly Write[]) => Promise<readonly Answer[]>
  readonly groupMax: number
  /** Called before the same group is sent again because the database was unavailable or another transaction held a lock. */
  readonly onOutage: (error: unknown) => void
  /** Aborts when nothing should wait for the database any longer. */
  readonly giveUp: AbortSignal
}

const retryWaitMsMin = 50
const retryWaitMsMax = 1_000

/**
 * Writes in groups as `createGroupWrites` does. After an outage or a deadlock the group is sent again. That is safe because each
 * write is fenced, and the answer to a repeated write is specified. After any other error each write of the group is sent alone,
 * and only those that fail again are rejected.
 */
export function createGroupCommit<Write, Answer>(
  options: GroupCommitOptions<Write, Answer>,
): GroupWrites<Write, Answer> {
  return createGroupWrites({
    ...options,
    apply: async (writes) => {
      try {
        return await applyUntilReached(writes, options)
      } catch (error) {
        if (writes.length === 1 || isTransient(error)) throw error
        return applyEach(writes, options)
      }
    },
  })
}

/** Sends the writes one after the other, so that a refused group does not become a thousand concurrent statements. */
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

/** Whether a write may succeed if it is sent again: the database was unavailable, or another transaction held a lock. */
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
