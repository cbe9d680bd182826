export interface GroupWritesOptions<Write, Answer> {
  /**
   * Writes one group. The answers have the order of the writes; one that is still a promise lets the next group go
   * before it is there. A rejection is the answer to every write of the group.
   */
  readonly apply: (writes: readonly Write[]) => Promise<readonly (Answer | Promise<Answer>)[]>
  /** Writes in a group at most. */
  readonly groupMax: number
  /** What one write adds to the weight of its group; default 0. */
  readonly weigh?: (write: Write) => number
  /** A group takes no further write when its weight has come to this. */
  readonly weightMax?: number
}

/**
 * Writes the way a database commits in groups: what gathers while one group is on its way goes out as the next. There
 * is no timer: a write that finds nothing on its way goes at once.
 */
export interface GroupWrites<Write, Answer> {
  /** The answer to this write, once it is there. */
  add(write: Write): Promise<Answer>
  /** Resolves when nothing is on its way. */
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
    // The first write of a turn waits for the rest of the turn, so that those that come together share a group: for
    // all promises that are settled by now, since the end of one job is what begins the next.
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
