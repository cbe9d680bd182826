import type { TestDatabase } from '@queue/testing'
import { deadlocks } from './check-limits.ts'

export interface CheckedOrder {
  readonly faults: readonly string[]
  /** Starts of jobs that had been started before. */
  readonly again: number
  /** Starts of jobs before one that had been enqueued earlier. */
  readonly ahead: number
}

/** What became of a job, in the order of the audit. Of one key the changes follow one another: each waits for the one before. */
interface Move {
  readonly seq: number
  readonly id: string
  readonly to: string | null
  /** Milliseconds since 1970: the database's clock as the claim had read it, for a start; and when the job is due, as it is left. */
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

/** What is known of a key between two changes. */
interface KeyState {
  readonly waiting: Map<string, Waiting>
  readonly running: Set<string>
  readonly begun: Set<string>
  /** The job that has begun and not ended. */
  holder: string | undefined
}

export interface OrderRun {
  /** What the retries of each queue do to others of their key. */
  readonly orders: Readonly<Record<string, 'block' | 'continue'>>
  /** By when each job had been committed, on the database's clock. */
  readonly committedMs: ReadonlyMap<string, number>
}

/** Follows each key of these queues through the audit. */
export async function checkOrder(
  database: TestDatabase,
  { orders, committedMs }: OrderRun,
): Promise<CheckedOrder> {
  const keys = Map.groupBy(await readMoves(database), ({ queue, key }) => `${queue} ${key}`)
  const faults: string[] = await deadlocks(database)
  let again = 0
  let ahead = 0
  for (const [name, moves] of keys) {
    const state: KeyState = { waiting: new Map(), running: new Set(), begun: new Set(), holder: undefined }
    for (const move of moves) {
      if (move.to === 'running') {
        if (state.begun.has(move.id)) again += 1
        if ([...state.waiting.keys()].some((id) => id < move.id)) ahead += 1
        const known = (id: string): boolean =>
          (committedMs.get(id) ?? Number.POSITIVE_INFINITY) < (move.taken_ms ?? 0)
        const fault = faultOf(move, { ...state, known }, orders[move.queue] ?? 'continue')
        if (fault !== undefined) faults.push(`${name}: at entry ${move.seq} job ${move.id} ${fault}`)
      }
      follow(move, state)
    }
  }
  return { faults, again, ahead }
}

/** What is wrong with a start; undefined when nothing is. */
function faultOf(
  move: Move,
  state: KeyState & { known(id: string): boolean },
  onRetry: 'block' | 'continue',
): string | undefined {
  const [beside] = state.running
  if (beside !== undefined) return `was started beside job ${beside}`
  const isHeld = onRetry === 'block' && state.holder !== undefined
  if (isHeld && state.holder === move.id) return undefined
  if (isHeld) return `was started although job ${state.holder} had not ended`
  const takenMs = move.taken_ms ?? 0
  const own = state.waiting.get(move.id)
  const first = [...state.waiting.values()].find(
    (one) =>
      own !== undefined &&
      one.id !== own.id &&
      state.known(one.id) &&
      one.dueMs <= takenMs &&
      isBefore(one, own),
  )
  return first === undefined ? undefined : `was started before job ${first.id}`
}

function isBefore(one: Waiting, other: Waiting): boolean {
  if (one.priority !== other.priority) return one.priority < other.priority
  if (one.dueMs !== other.dueMs) return one.dueMs < other.dueMs
  return one.id < other.id
}

function follow({ id, to, due_ms: dueMs, priority }: Move, state: KeyState): void {
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
  // What was returned before its first attempt began has not been started.
  if (state.holder === id && to !== 'retrying') state.holder = undefined
}

async function readMoves({ pool, schema }: TestDatabase): Promise<Move[]> {
  const { rows } = await pool.query<Move>(
    `SELECT a.seq::int AS seq, a.job_id AS id, a.to_status AS to,
            (extract(epoch FROM a.taken_at) * 1000)::float8 AS taken_ms, (extract(epoch FROM a.run_at) * 1000)::float8 AS due_ms,
            j.priority, j.queue, j.key
       FROM chaos.audit AS a JOIN "${schema}".jobs AS j ON j.id = a.job_id WHERE j.key IS NOT NULL ORDER BY a.seq`,
  )
  return rows
}
