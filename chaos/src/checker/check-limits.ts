import type { TestDatabase } from '@queue/testing'
import type { Pause } from '../scenarios/limits.ts'

/** A limit, and the jobs that it counts. */
export interface Watched {
  readonly name: string
  readonly max: number
  /** Whether no other limit holds its jobs back: then each free place is filled while one of them waits. */
  readonly isAlone: boolean
  readonly is: (job: { readonly queue: string; readonly key: string | null }) => boolean
}

export interface LimitsRun {
  readonly watched: readonly Watched[]
  readonly pauses: readonly Pause[]
  /** By how much the machine may have held anything up. */
  readonly allowanceMs: number
}

export interface CheckedLimits {
  readonly faults: readonly string[]
  /** The most that ran at a time, by limit. */
  readonly most: Readonly<Record<string, number>>
  /** The longest that a place was left empty, in milliseconds, by limit. */
  readonly waits: Readonly<Record<string, number>>
}

/** A job behind a limit that has room starts so much later at most: the longest that a worker waits between its polls. */
const waitMsMax = 2_000

interface Move {
  readonly seq: number
  readonly at_ms: number
  readonly from: string | null
  readonly to: string | null
  readonly queue: string
  readonly key: string | null
}

/**
 * Follows each limit through the audit. A claim that fills a place has seen the commit of the end that freed it, and each draws its
 * number before it commits: so in the order of the numbers no count is ever above what it was.
 */
export async function checkLimits(database: TestDatabase, run: LimitsRun): Promise<CheckedLimits> {
  const moves = await readMoves(database)
  const followed = run.watched.map((limit) => follow(limit, moves, run))
  return {
    faults: [...followed.flatMap(({ faults }) => faults), ...(await deadlocks(database))],
    most: Object.fromEntries(followed.map(({ name, most }) => [`most of ${name}`, most])),
    waits: Object.fromEntries(
      followed.map(({ name, longestWaitMs }) => [`longest wait of ${name} in ms`, Math.round(longestWaitMs)]),
    ),
  }
}

async function readMoves({ pool, schema }: TestDatabase): Promise<Move[]> {
  const { rows } = await pool.query<Move>(
    `SELECT a.seq::int AS seq, extract(epoch FROM a.at)::float8 * 1000 AS at_ms, a.from_status AS from, a.to_status AS to,
            j.queue, j.key
       FROM chaos.audit AS a JOIN "${schema}".jobs AS j ON j.id = a.job_id ORDER BY a.seq`,
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

interface Followed {
  readonly name: string
  readonly faults: readonly string[]
  readonly most: number
  readonly longestWaitMs: number
}

function follow(limit: Watched, all: readonly Move[], run: LimitsRun): Followed {
  const { name, max } = limit
  const moves = all.filter(limit.is)
  const pauses = run.pauses.filter((pause) => pause.of === name)
  const { most, seq } = mostRunning(moves)
  const longestWaitMs = limit.isAlone ? longestWait(moves, max, pauses) : 0
  return {
    name,
    most,
    longestWaitMs,
    faults: [
      ...(most > max ? [`${name}: ${most} were running at entry ${seq}, ${max} are allowed`] : []),
      ...moves
        .filter((move) => isPassedBy(move, pauses))
        .map((move) => `${name}: claimed while paused, at entry ${move.seq}`),
      ...(longestWaitMs > waitMsMax + run.allowanceMs
        ? [`${name}: a free place was left empty for ${Math.round(longestWaitMs)} ms`]
        : []),
    ],
  }
}

function isPassedBy({ to, seq }: Move, pauses: readonly Pause[]): boolean {
  return to === 'running' && pauses.some(({ afterSeq, beforeSeq }) => seq > afterSeq && seq <= beforeSeq)
}

/** The most that ran at a time, and when they first did. */
function mostRunning(moves: readonly Move[]): { readonly most: number; readonly seq: number } {
  let running = 0
  let most = { most: 0, seq: 0 }
  for (const { from, to, seq } of moves) {
    running += Number(to === 'running') - Number(from === 'running')
    if (running > most.most) most = { most: running, seq }
  }
  return most
}

/** The longest that none was started although one waited and there was room, pauses left out. */
function longestWait(moves: readonly Move[], max: number, pauses: readonly Pause[]): number {
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
