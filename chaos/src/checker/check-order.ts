import type { TestDatabase } from '@queue/testing'
import { deadlocks } from './check-limits.ts'

export interface CheckedOrder {
  readonly faults: readonly string[]
  /** How many starts were of jobs that had been started before. */
  readonly restarted: number
  /** How many starts were of jobs that were enqueued later than a job that still waited. */
  readonly ahead: number
}

/** One state change of a job, in the order of the audit. Changes of one key are serialized: each waits for the one before. */
interface StateChange {
  readonly seq: number
  readonly id: string
  readonly to: string | null
  /** In milliseconds since 1970: for a start, the database's clock as the claim read it; and when the job is due afterwards. */
  readonly taken_ms: number | null
  readonly due_ms: number
  readonly priority: number
  readonly queue: string
  readonly key: string
}

interface Waiting {
  readonly id: string
  readonly dueMs: number
  readonly priority: number
}

/** The state of a key between two changes. */
interface KeyState {
  readonly waiting: Map<string, Waiting>
  readonly running: Set<string>
  readonly begun: Set<string>
  /** The job that has started and not ended. */
  holder: string | undefined
}

export interface OrderRun {
  /** For each queue, whether a job that waits for its retry blocks the other jobs of its key. */
  readonly orders: Readonly<Record<string, 'block' | 'continue'>>
  /** An upper bound for the commit time of each job, on the database's clock in milliseconds since 1970. */
  readonly committedMs: ReadonlyMap<string, number>
}

/** Follows each key of these queues through the audit, and checks the order of starts. */
export async function checkOrder(
  database: TestDatabase,
  { orders, committedMs }: OrderRun,
): Promise<CheckedOrder> {
  const keys = Map.groupBy(await readChanges(database), ({ queue, key }) => `${queue} ${key}`)
  const faults: string[] = await deadlocks(database)
  let restarted = 0
  let ahead = 0
  for (const [name, moves] of keys) {
    const state: KeyState = { waiting: new Map(), running: new Set(), begun: new Set(), holder: undefined }
    for (const move of moves) {
      if (move.to === 'running') {
        if (state.begun.has(move.id)) restarted += 1
        if ([...state.waiting.keys()].some((id) => id < move.id)) ahead += 1
        const known = (id: string): boolean =>
          (committedMs.get(id) ?? Number.POSITIVE_INFINITY) < (move.taken_ms ?? 0)
        const fault = faultOf(move, { ...state, known }, orders[move.queue] ?? 'continue')
        if (fault !== undefined) faults.push(`${name}: at entry ${move.seq} job ${move.id} ${fault}`)
      }
      follow(move, state)
    }
  }
  return { faults, restarted, ahead }
}

/** The fault of a start; undefined if it has none. */
function faultOf(
  move: StateChange,
  state: KeyState & { known(id: string): boolean },
  onRetry: 'block' | 'continue',
): string | undefined {
  const [running] = state.running
  if (running !== undefined) return `was started beside job ${running}`
  const isHeld = onRetry === 'block' && state.holder !== undefined
  if (isHeld && state.holder === move.id) return undefined
  if (isHeld) return `was started although job ${state.holder} had not ended`
  const takenMs = move.taken_ms ?? 0
  const ownJob = state.waiting.get(move.id)
  const first = [...state.waiting.values()].find(
    (one) =>
      ownJob !== undefined &&
      one.id !== ownJob.id &&
      state.known(one.id) &&
      one.dueMs <= takenMs &&
      isBefore(one, ownJob),
  )
  return first === undefined ? undefined : `was started before job ${first.id}`
}

function isBefore(job: Waiting, other: Waiting): boolean {
  if (job.priority !== other.priority) return job.priority < other.priority
  if (job.dueMs !== other.dueMs) return job.dueMs < other.dueMs
  return job.id < other.id
}

function follow({ id, to, due_ms: dueMs, priority }: StateChange, state: KeyState): void {
  state.waiting.delete(id)
  state.running.delete(id)
  if (to === 'running') {
    state.running.add(id)
    state.begun.add(id)
    state.holder = id
    return
  }
  const isWaiting = to === 'queued' || to === 'retrying'
  if (isWaiting) state.waiting.set(id, { id, dueMs, priority })
  // A job that was returned before its first attempt began counts as not started.
  if (state.holder === id && to !== 'retrying') state.holder = undefined
}

async function readChanges({ pool, schema }: TestDatabase): Promise<StateChange[]> {
  const { rows } = await pool.query<StateChange>(
    `SELECT a.seq::int AS seq, a.job_id AS id, a.to_status AS to,
            (extract(epoch FROM a.taken_at) * 1000)::float8 AS taken_ms, (extract(epoch FROM a.run_at) * 1000)::float8 AS due_ms,
            j.priority, j.queue, j.key
       FROM chaos.audit AS a JOIN "${schema}".all_jobs AS j ON j.id = a.job_id WHERE j.key IS NOT NULL ORDER BY a.seq`,
  )
  return rows
}
