import { type QueueDatabase, QueueError, type SchemaVersion } from '@queue/core'
import { checkSchemaVersion, takesWrites } from '@queue/core/schema'

/** What /readyz and /health answer: states only, without hosts, versions or texts of errors. */
export interface ReadinessReport {
  readonly status: 'ready' | 'not_ready'
  readonly checks: {
    readonly process: 'running' | 'stopping'
    readonly database: 'up' | 'down'
    readonly schema: SchemaVersion['status'] | 'unknown'
    /** A standby, and a server or role whose transactions may only read, refuses them. */
    readonly writes: 'accepted' | 'refused' | 'unknown'
  }
}

/** Checks once whether work can be done now. Never throws. */
export type Readiness = () => Promise<ReadinessReport>

export interface ReadinessOptions {
  readonly database: QueueDatabase
  /**
   * What the process needs: one that demands `writes` is not ready on a server that refuses them. Default `reads`.
   */
  readonly demands?: 'reads' | 'writes'
  /**
   * Aborted when the process begins to stop: it is not ready from then on, so that no new work is sent to it.
   */
  readonly signal?: AbortSignal
  /** A database that has not answered after so long counts as down; default 2 000. */
  readonly timeoutMs?: number
}

const timeoutMsDefault = 2_000
/** Probes that come closer together than this share one answer. */
const freshMs = 500

type Checked = Pick<ReadinessReport['checks'], 'database' | 'schema' | 'writes'>
const down: Checked = { database: 'down', schema: 'unknown', writes: 'unknown' }

/**
 * The readiness of API and worker: the database answers in time, this code may run on its schema, and it takes writes
 * where the process demands that. At most one check is under way at a time, so that probes cannot use up the pool.
 */
export function createReadiness(options: ReadinessOptions): Readiness {
  const { database, signal, demands = 'reads', timeoutMs = timeoutMsDefault } = options
  const ask = shareAnswers(() => check(database))
  return async () => {
    const stopping = signal?.aborted ?? false
    const checked = await within(timeoutMs, ask())
    const usable = checked.database === 'up' && checked.schema === 'compatible'
    const ready = !stopping && usable && (demands === 'reads' || checked.writes === 'accepted')
    return {
      status: ready ? 'ready' : 'not_ready',
      checks: { process: stopping ? 'stopping' : 'running', ...checked },
    }
  }
}

async function check(database: QueueDatabase): Promise<Checked> {
  try {
    const { status: schema } = await checkSchemaVersion(database)
    if (schema !== 'compatible') return { database: 'up', schema, writes: 'unknown' }
    return { database: 'up', schema, writes: (await takesWrites(database)) ? 'accepted' : 'refused' }
  } catch (error) {
    const unavailable = error instanceof QueueError && error.code === 'database_unavailable'
    return unavailable ? down : { ...down, database: 'up' }
  }
}

function shareAnswers(question: () => Promise<Checked>): () => Promise<Checked> {
  let answer: Promise<Checked> | undefined
  let freshUntil = 0
  return () => {
    if (answer !== undefined && performance.now() < freshUntil) return answer
    freshUntil = Number.POSITIVE_INFINITY
    answer = question().finally(() => {
      freshUntil = performance.now() + freshMs
    })
    return answer
  }
}

async function within(timeoutMs: number, checked: Promise<Checked>): Promise<Checked> {
  let timer: NodeJS.Timeout | undefined
  const timeout = new Promise<Checked>((resolve) => {
    timer = setTimeout(() => resolve(down), timeoutMs)
  })
  try {
    return await Promise.race([checked, timeout])
  } finally {
    clearTimeout(timer)
  }
}
