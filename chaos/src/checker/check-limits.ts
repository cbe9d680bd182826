import type { TestDatabase } from '@queue/testing'

/** A pause, with the last entry of the audit after its answer and before its end. */
export interface Pause {
  readonly limitName: string
  readonly afterSeq: number
  readonly beforeSeq: number
  /** Before its request and after its end, on the database's clock in milliseconds since 1970. */
  readonly pausedMs: number
  readonly resumedMs: number
}

/** A limit, and the jobs that it counts. */
export interface WatchedLimit {
  readonly name: string
  readonly max: number
  /** Whether no other limit holds its jobs back. Then each free place must be filled while one of them waits. */
  readonly isOnlyLimit: boolean
  readonly matches: (job: { readonly queue: string; readonly key: string | null }) => boolean
}

export interface LimitsRun {
  readonly watched: readonly WatchedLimit[]
  readonly pauses: readonly Pause[]
  /** By how much the machine may have delayed anything, in milliseconds. */
  readonly allowanceMs: number
}

export interface CheckedLimits {
  readonly faults: readonly string[]
  /** The most jobs that ran at the same time, by limit. */
  readonly maxRunning: Readonly<Record<string, number>>
  /** The longest time that a place was left free while a job waited, in milliseconds, by limit. */
  readonly waits: Readonly<Record<string, number>>
}

/** A job starts at most this long after its limit has room: the longest time between two polls of a worker. */
const waitMsMax = 2_000

interface StateChange {
  readonly seq: number
  readonly at_ms: number
  readonly from: string | null
  readonly to: string | null
  readonly queue: string
  readonly key: string | null
}

/**
 * Follows each limit through the audit. A claim that fills a place has seen the commit of the end that freed it, and each of
 * them draws its sequence number before it commits. So the count in the order of these numbers is never above the real one.
 */
export async function checkLimits(database: TestDatabase, run: LimitsRun): Promise<CheckedLimits> {
  const changes = await readChanges(database)
  const uses = run.watched.map((limit) => follow(limit, changes, run))
  return {
    faults: [...uses.flatMap(({ faults }) => faults), ...(await deadlocks(database))],
    maxRunning: Object.fromEntries(uses.map(({ name, maxRunning }) => [`most of ${name}`, maxRunning])),
    waits: Object.fromEntries(
      uses.map(({ name, longestWaitMs }) => [`longest wait of ${name} in ms`, Math.round(longestWaitMs)]),
    ),
  }
}

async function readChanges({ pool, schema }: TestDatabase): Promise<StateChange[]> {
  const { rows } = await pool.query<StateChange>(
    `SELECT a.seq::int AS seq, extract(epoch FROM a.at)::float8 * 1000 AS at_ms, a.from_status AS from, a.to_status AS to,
            j.queue, j.key
       FROM chaos.audit AS a JOIN "${schema}".all_jobs AS j ON j.id = a.job_id ORDER BY a.seq`,
  )
  return rows
}

export async function deadlocks({ pool }: TestDatabase): Promise<string[]> {
  const { rows } = await pool.query<{ deadlocks: number }>(
    'SELECT deadlocks::int AS deadlocks FROM pg_stat_database WHERE datname = current_database()',
  )
  const count = rows[0]?.deadlocks ?? 0
  return count === 0 ? [] : [`${count} deadlocks`]
}

interface LimitUse {
  readonly name: string
  readonly faults: readonly string[]
  readonly maxRunning: number
  readonly longestWaitMs: number
}

function follow(limit: WatchedLimit, all: readonly StateChange[], run: LimitsRun): LimitUse {
  const { name, max } = limit
  const moves = all.filter(limit.matches)
  const pauses = run.pauses.filter((pause) => pause.limitName === name)
  const { maxRunning, seq } = findMaxRunning(moves)
  const longestWaitMs = limit.isOnlyLimit ? longestWait(moves, max, pauses) : 0
  return {
    name,
    maxRunning,
    longestWaitMs,
    faults: [
      ...(maxRunning > max
        ? [`${name}: ${maxRunning} were running at entry ${seq}, ${max} are allowed`]
        : []),
      ...moves
        .filter((move) => isClaimedWhilePaused(move, pauses))
        .map((move) => `${name}: claimed while paused, at entry ${move.seq}`),
      ...(longestWaitMs > waitMsMax + run.allowanceMs
        ? [`${name}: a free place was left empty for ${Math.round(longestWaitMs)} ms`]
        : []),
    ],
  }
}

function isClaimedWhilePaused({ to, seq }: StateChange, pauses: readonly Pause[]): boolean {
  return to === 'running' && pauses.some(({ afterSeq, beforeSeq }) => seq > afterSeq && seq <= beforeSeq)
}

/** The most that ran at a time, and when they first did. */
function findMaxRunning(moves: readonly StateChange[]): {
  readonly maxRunning: number
  readonly seq: number
} {
  let running = 0
  let peak = { maxRunning: 0, seq: 0 }
  for (const { from, to, seq } of moves) {
    running += Number(to === 'running') - Number(from === 'running')
    if (running > peak.maxRunning) peak = { maxRunning: running, seq }
  }
  return peak
}

/** The longest that none was started although one waited and there was room, pauses left out. */
function longestWait(moves: readonly StateChange[], max: number, pauses: readonly Pause[]): number {
  let running = 0
  let queued = 0
  let sinceMs = Number.POSITIVE_INFINITY
  let longestMs = 0
  for (const { from, to, at_ms: atMs } of moves) {
    if (to === 'running') {
      const resumedMs = pauses.findLast((pause) => pause.pausedMs <= atMs)?.resumedMs ?? 0
      longestMs = Math.max(longestMs, atMs - Math.max(sinceMs, resumedMs))
      sinceMs = Number.POSITIVE_INFINITY
    }
    running += Number(to === 'running') - Number(from === 'running')
    queued += Number(to === 'queued') - Number(from === 'queued')
    sinceMs = running < max && queued > 0 ? Math.min(sinceMs, atMs) : Number.POSITIVE_INFINITY
  }
  return longestMs
}
