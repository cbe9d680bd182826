import type { LogLine, LogPage } from '@queue/core'
import { encodeLogCursor } from '@queue/core/fields'

/** Reads the log of a job, page after page, as it grows. */
export interface LineReader {
  /** Whether a page was left to read when the last one was. */
  readonly hasMore: boolean
  /** The lines behind those that it has given. */
  next(): Promise<readonly LogLine[]>
}

/** Begins behind the line of `cursor`, or at the first. */
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
