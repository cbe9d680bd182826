import type { JobHistory } from './job-history.ts'

/** Signs that something happened in which a fault could have shown. A run without any proves nothing. */
export interface Signs {
  /** Attempts that were charged to a worker that was lost. */
  readonly recovered: number
  /**
   * Handlers that came to their end after their job had left their lease: those of stale workers, whose writes must not
   * count.
   */
  readonly lateEnds: number
  /** Leases under which a handler began. */
  readonly begun: number
  /** Attempts whose handler came to its end, and that were lost all the same: their work was done once more. */
  readonly repeated: number
  /** Jobs that are there although their client never had an answer. */
  readonly unknownKept: number
}

export const noSigns: Signs = { recovered: 0, lateEnds: 0, begun: 0, repeated: 0, unknownKept: 0 }

export function signsOf(jobHistory: JobHistory): Signs {
  const { audit, effects, executions, fate } = jobHistory
  const leftAtMs = new Map(
    audit.flatMap(({ from, atMs }) => (from?.status === 'running' ? [[from.token, atMs] as const] : [])),
  )
  const ended = effects.filter(({ phase }) => phase === 'ended')
  const lost = new Set(executions.filter(({ outcome }) => outcome === 'lost').map(({ token }) => token))
  return {
    recovered: audit.filter(({ from, to }) => from !== null && to !== null && to.crashes > from.crashes)
      .length,
    lateEnds: ended.filter(({ token, atMs }) => atMs > (leftAtMs.get(token) ?? Number.POSITIVE_INFINITY))
      .length,
    begun: effects.filter(({ phase }) => phase === 'begun').length,
    repeated: ended.filter(({ token }) => lost.has(token)).length,
    unknownKept: fate?.enqueue === 'unknown' ? 1 : 0,
  }
}

export function addSigns(a: Signs, b: Signs): Signs {
  return {
    recovered: a.recovered + b.recovered,
    lateEnds: a.lateEnds + b.lateEnds,
    begun: a.begun + b.begun,
    repeated: a.repeated + b.repeated,
    unknownKept: a.unknownKept + b.unknownKept,
  }
}
