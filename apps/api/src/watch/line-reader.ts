import type { LogLine, LogPage } from '@queue/core'
import { encodeLogCursor } from '@queue/core/internal'

/** Reads the log of a job page by page while it grows. */
export interface LineReader {
  /** Whether the last read left lines behind. */
  readonly hasMore: boolean
  /** The lines after those that were already read. */
  next(): Promise<readonly LogLine[]>
}

/** Starts after the line of `cursor`, or at the first line. */
export function createLineReader(
  readPage: (cursor: string | undefined) => Promise<LogPage | undefined>,
  cursor?: string,
): LineReader {
  let after = cursor
  let hasMore = false
  return {
    get hasMore() {
      return hasMore
    },
    next: async () => {
      const { lines, nextCursor } = (await readPage(after)) ?? { lines: [], nextCursor: null }
      const last = lines.at(-1)
      after = nextCursor ?? (last === undefined ? after : encodeLogCursor(last))
      hasMore = nextCursor !== null
      return lines
    },
  }
}
