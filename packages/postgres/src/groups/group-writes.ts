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
