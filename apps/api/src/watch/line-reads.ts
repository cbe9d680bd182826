import type { Queue } from '@queue/core'
import type { Load } from '../access/admission.ts'
import { keyCacheEntriesMax, keyLineReadsPerSecond } from '../http/limits.ts'
import { type Principal, quotaKeyOf } from '../http/principal.ts'

type ReadLogs = Queue['logs']
type LogQuery = NonNullable<Parameters<ReadLogs>[1]>

/** Reads pages of logs for the event streams of one scope. */
export interface LineReads {
  /** One page of the log of a job, on behalf of the sender of a stream. `admit` runs the read. */
  read(id: string, query: LogQuery, reader: Reader): ReturnType<ReadLogs>
  /** Reads of another scope. They share the paces of these. */
  withLogs(readLogs: ReadLogs): LineReads
}

interface Reader {
  readonly principal: Principal | undefined
  readonly admit: <Result>(load: Load, work: () => Promise<Result>) => Promise<Result>
}

export interface LineReadsOptions {
  readonly readLogs: ReadLogs
  /** Milliseconds of a monotonic clock. */
  readonly nowMs: () => number
  readonly wait: (ms: number) => Promise<void>
}

/**
 * Streams that want the same page at the same time share its read, so any number of them that follow one job cost as much as one.
 * The reads of a key follow each other at a pace, first come, first served: its streams are slower the more of them there are.
 */
export function createLineReads({ readLogs, nowMs, wait }: LineReadsOptions): LineReads {
  /** When the next read of each key may begin. */
  const nextAtMs = new Map<string, number>()
  const pace = async (principal: Principal | undefined): Promise<void> => {
    const key = principal && quotaKeyOf(principal)
    if (key === undefined) return
    const atMs = Math.max(nowMs(), nextAtMs.get(key) ?? 0)
    nextAtMs.delete(key)
    nextAtMs.set(key, atMs + 1_000 / keyLineReadsPerSecond)
    // The key that has read nothing for longest has nothing to wait for.
    if (nextAtMs.size > keyCacheEntriesMax) nextAtMs.delete(nextAtMs.keys().next().value ?? key)
    if (atMs > nowMs()) await wait(atMs - nowMs())
  }
  const withLogs = (readOwn: ReadLogs): LineReads => {
    const reading = new Map<string, ReturnType<ReadLogs>>()
    const begin: LineReads['read'] = async (id, query, { principal, admit }) => {
      await pace(principal)
      return admit('light', () => readOwn(id, query))
    }
    return {
      withLogs,
      read: (id, query, reader) => {
        const name = JSON.stringify([id, query.level, query.limit, query.cursor])
        const shared = reading.get(name)
        if (shared !== undefined) return shared
        const page = begin(id, query, reader).finally(() => reading.delete(name))
        reading.set(name, page)
        return page
      },
    }
  }
  return withLogs(readLogs)
}
