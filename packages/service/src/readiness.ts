import { QueueError, type SchemaVersion } from '@queue/core'
import { checkSchemaVersion, type QueueDatabase, takesWrites } from '@queue/core/internal'

/** The answer of /readyz and /health. It has only states, no hosts, versions or error texts. */
export interface ReadinessReport {
  readonly status: 'ready' | 'not_ready'
  readonly checks: {
    readonly process: 'running' | 'stopping'
    readonly database: 'up' | 'down'
    readonly schema: SchemaVersion['status'] | 'unknown'
    /** A standby refuses writes, and so does a server or role with read-only transactions. */
    readonly writes: 'accepted' | 'refused' | 'unknown'
  }
}

/** Checks whether the process can work now. Never throws. */
export type Readiness = () => Promise<ReadinessReport>

export interface ReadinessOptions {
  readonly database: QueueDatabase
  /** What the process needs. With `writes` it is not ready on a server that refuses writes. Default `reads`. */
  readonly demands?: 'reads' | 'writes'
  /** Aborted when the process begins to stop. From then on it is not ready, so that it gets no new work. */
  readonly signal?: AbortSignal
  /** Milliseconds without an answer after which the database counts as down; default 2 000. */
  readonly timeoutMs?: number
}

const timeoutMsDefault = 2_000
/** Probes within this time share one answer. */
const freshMs = 500

type DatabaseChecks = Pick<ReadinessReport['checks'], 'database' | 'schema' | 'writes'>
const down: DatabaseChecks = { database: 'down', schema: 'unknown', writes: 'unknown' }

/**
 * The readiness of API and worker. A process is ready if the database answers in time, this code may run on its schema, and it
 * accepts writes if the process needs them. At most one check runs at a time, so that probes cannot use up the pool.
 */
export function createReadiness(options: ReadinessOptions): Readiness {
  const { database, signal, demands = 'reads', timeoutMs = timeoutMsDefault } = options
  const sharedCheck = shareAnswers(() => check(database))
  return async () => {
    const isStopping = signal?.aborted ?? false
    const checks = await within(timeoutMs, sharedCheck())
    const isUsable = checks.database === 'up' && checks.schema === 'compatible'
    const isReady = !isStopping && isUsable && (demands === 'reads' || checks.writes === 'accepted')
    return {
      status: isReady ? 'ready' : 'not_ready',
      checks: { process: isStopping ? 'stopping' : 'running', ...checks },
    }
  }
}

async function check(database: QueueDatabase): Promise<DatabaseChecks> {
  try {
    const { status: schema } = await checkSchemaVersion(database)
    if (schema !== 'compatible') return { database: 'up', schema, writes: 'unknown' }
    return { database: 'up', schema, writes: (await takesWrites(database)) ? 'accepted' : 'refused' }
  } catch (error) {
    const unavailable = error instanceof QueueError && error.code === 'database_unavailable'
    return unavailable ? down : { ...down, database: 'up' }
  }
}

function shareAnswers(runCheck: () => Promise<DatabaseChecks>): () => Promise<DatabaseChecks> {
  let answer: Promise<DatabaseChecks> | undefined
  let freshUntil = 0
  return () => {
    if (answer !== undefined && performance.now() < freshUntil) return answer
    freshUntil = Number.POSITIVE_INFINITY
    answer = runCheck().finally(() => {
      freshUntil = performance.now() + freshMs
    })
    return answer
  }
}

async function within(timeoutMs: number, checks: Promise<DatabaseChecks>): Promise<DatabaseChecks> {
  let timer: NodeJS.Timeout | undefined
  const timeout = new Promise<DatabaseChecks>((resolve) => {
    timer = setTimeout(() => resolve(down), timeoutMs)
  })
  try {
    return await Promise.race([checks, timeout])
  } finally {
    clearTimeout(timer)
  }
}
