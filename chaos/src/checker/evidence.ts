import type { JobHistory } from './job-history.ts'

/** Counts of events in which a fault could have shown. A run without such events proves nothing. */
export interface Evidence {
  /** Attempts that were lost with their worker and charged. */
  readonly recovered: number
  /**
   * Handlers that ended after their job had been released from their lease. They belong to stale workers, whose writes must
   * be refused.
   */
  readonly lateEnds: number
  /** Leases under which a handler began. */
  readonly begun: number
  /** Attempts that were lost although their handler had ended. Their work was done again. */
  readonly repeated: number
  /** Jobs that exist although their client never got an answer. */
  readonly unknownKept: number
}

export const noEvidence: Evidence = { recovered: 0, lateEnds: 0, begun: 0, repeated: 0, unknownKept: 0 }

export function evidenceOf(jobHistory: JobHistory): Evidence {
  const { audit, effects, executions, clientOutcome } = jobHistory
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
    unknownKept: clientOutcome?.enqueue === 'unknown' ? 1 : 0,
  }
}

export function addEvidence(a: Evidence, b: Evidence): Evidence {
  return {
    recovered: a.recovered + b.recovered,
    lateEnds: a.lateEnds + b.lateEnds,
    begun: a.begun + b.begun,
    repeated: a.repeated + b.repeated,
    unknownKept: a.unknownKept + b.unknownKept,
  }
}
