import { checkSchemaVersion, QueueError, type QueueDatabase, type SchemaVersion } from '@queue/core'

/** What /readyz and /health answer. It tells states, and no host, version, or text of an error. */
export interface ReadinessReport {
  readonly status: 'ready' | 'not_ready'
  readonly checks: {
    readonly process: 'running' | 'stopping'
    readonly database: 'up' | 'down'
    readonly schema: SchemaVersion['status'] | 'unknown'
  }
}

/** Asks once whether work can be done now. Never throws. */
export type Readiness = () => Promise<ReadinessReport>

export interface ReadinessOptions {
  readonly database: QueueDatabase
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

type Checked = Pick<ReadinessReport['checks'], 'database' | 'schema'>
const down: Checked = { database: 'down', schema: 'unknown' }

/**
 * Readiness as both apps mean it: the database answers in time, and its schema is one this code may run on.
 * At most one question is under way at a time, however many probes there are, so that probes cannot use up
 * the pool.
 */
export function createReadiness(options: ReadinessOptions): Readiness {
  const { database, signal, timeoutMs = timeoutMsDefault } = options
  const ask = shareAnswers(() => check(database))
  return async () => {
    const stopping = signal?.aborted ?? false
    const checked = await within(timeoutMs, ask())
    const ready = !stopping && checked.database === 'up' && checked.schema === 'compatible'
    return {
      status: ready ? 'ready' : 'not_ready',
      checks: { process: stopping ? 'stopping' : 'running', ...checked },
    }
  }
}

async function check(database: QueueDatabase): Promise<Checked> {
  try {
    return { database: 'up', schema: (await checkSchemaVersion(database)).status }
  } catch (error) {
    const unavailable = error instanceof QueueError && error.code === 'database_unavailable'
    return unavailable ? down : { database: 'up', schema: 'unknown' }
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
