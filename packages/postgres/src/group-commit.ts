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
  /** Called with the weight of each write that is added, and with the negative weight of each group that has its answers. */
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

export function createGroupWrites<Write, Answer>(
  options: GroupWritesOptions<Write, Answer>,
): GroupWrites<Write, Answer> {
  const { apply, weigh = weightless, onWaiting = ignore } = options
  const gathering: Group<Write, Answer>[] = []
  let writing: Promise<void> | undefined

  const groupForNext = (): Group<Write, Answer> => {
    const last = gathering.at(-1)
    if (last !== undefined && !isComplete(last, options)) return last
    const group = new Group<Write, Answer>()
    gathering.push(group)
    return group
  }

  const writeAll = async (): Promise<void> => {
    // The first write waits for the end of the current turn of the event loop, so that writes that come together share a group.
    // The end of one job is often followed directly by that of another.
    await new Promise<void>((resolve) => process.nextTick(resolve))
    for (let group = gathering.shift(); group !== undefined; group = gathering.shift()) {
      await group.write(apply)
      onWaiting(-group.weight)
    }
    writing = undefined
  }

  return {
    drained: async () => writing,
    add: (write) => {
      const weight = weigh(write)
      const answer = groupForNext().add(write, weight)
      onWaiting(weight)
      writing ??= writeAll()
      return answer
    },
  }
}

function weightless(): number {
  return 0
}

function ignore(): void {}

/**
 * The writes of one group. They wait for one promise: with one for each write, the functions that resolve and reject it would
 * be half of what a write allocates.
 */
class Group<Write, Answer> {
  readonly writes: Write[] = []
  /** Of all its writes. */
  weight = 0
  readonly #answers = Promise.withResolvers<readonly (Answer | Promise<Answer>)[]>()

  /** Resolves with the answer to this write. */
  add(write: Write, weight: number): Promise<Answer> {
    const place = this.writes.push(write) - 1
    this.weight += weight
    return this.#answers.promise.then((answers) => answers[place] as Answer | Promise<Answer>)
  }

  /** Never rejects: the error is that of each write. */
  async write(apply: GroupWritesOptions<Write, Answer>['apply']): Promise<void> {
    try {
      this.#answers.resolve(await apply(this.writes))
    } catch (error) {
      this.#answers.reject(error)
    }
  }
}

function isComplete<Write, Answer>(
  { writes, weight }: Group<Write, Answer>,
  { groupMax, weightMax = Number.POSITIVE_INFINITY }: GroupWritesOptions<Write, Answer>,
): boolean {
  return writes.length >= groupMax || weight >= weightMax
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
