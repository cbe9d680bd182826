// (nothing) → queued, of which some are to be the only one under a key. Called by any user of the queue.
import { sql } from 'kysely'
import type { CallerDatabase, QueueDatabase } from '../database/connect.ts'
import type { IdentifiedRequest } from '../database/job-input.ts'
import type { Notification } from '../database/notifications.ts'
import { enqueueJobsInside } from '../transitions/enqueue-in-transaction.ts'
import { type Enqueued, enqueueJobs, type EnqueueOptions, findByKeys } from '../transitions/enqueue-jobs.ts'
import { changeWaiting, lockJobs, type WaitingChange } from './change-waiting.ts'
import {
  dropSlots,
  gatedByCaller,
  gatedByTimeout,
  type Holder,
  holdersOf,
  keyLocked,
  lockSlots,
  type RunGated,
  slotName,
  type SlotTake,
  takeSlots,
  throwKeyWait,
} from './slots.ts'
import { bySlot } from './take-live-slots.ts'

/** Jobs that somebody else had locked, each time. */
const triesMax = 10

/** How an enqueue writes, inside of a transaction. */
interface Writer {
  readonly database: QueueDatabase
  readonly gated: RunGated
  readonly insert: (requests: readonly IdentifiedRequest[]) => Promise<Enqueued[]>
  /** Whether the transaction is the caller's, and may go on for long. */
  readonly isCallers: boolean
}

/** A request with a unique key, and the slot that it asks for. */
interface Claimant {
  readonly request: IdentifiedRequest
  readonly policy: 'return' | 'refuse' | 'replace' | 'reschedule'
  readonly maxWaitMs: number | null
  readonly take: SlotTake
  readonly slot: string
}

/** Whether one of these asks to be the only one under a key. */
export function hasUnique(requests: readonly Pick<IdentifiedRequest, 'unique'>[]): boolean {
  return requests.some(({ unique }) => unique !== null)
}

/** Writes these jobs in a transaction of ours, whether they are to be unique or not. */
export function enqueueWithin(
  database: QueueDatabase,
  requests: readonly IdentifiedRequest[],
  options: EnqueueOptions = {},
): Promise<Enqueued[]> {
  return hasUnique(requests)
    ? enqueueUnique(database, requests, options)
    : enqueueJobs(database, requests, options)
}

/**
 * Writes these jobs in a transaction of ours. Throws `unique_key_locked` when an open transaction elsewhere holds one of the
 * keys.
 */
function enqueueUnique(
  database: QueueDatabase,
  requests: readonly IdentifiedRequest[],
  { lockTimeoutMs }: EnqueueOptions = {},
): Promise<Enqueued[]> {
  return settleWithRetries(requests, {
    database,
    gated: gatedByTimeout(database, lockTimeoutMs),
    insert: (some) => enqueueJobs(database, some, {}),
    isCallers: false,
  })
}

/** Writes these jobs in the caller's transaction, and tells the workers. */
export function enqueueUniqueInside(
  database: CallerDatabase,
  requests: readonly IdentifiedRequest[],
  notifications: readonly Notification[],
): Promise<Enqueued[]> {
  return settleWithRetries(requests, {
    database,
    gated: gatedByCaller(database),
    insert: (some) => enqueueJobsInside(database, some, notifications),
    isCallers: true,
  })
}

/**
 * Locks are taken in one order: jobs by id, then slots by key, then idempotency keys by key. A job that turns out to be in
 * the way of a locked slot is only tried; where somebody else has it, everything is undone to the savepoint, and the next
 * try waits for the job before it takes a slot.
 */
async function settleWithRetries(
  requests: readonly IdentifiedRequest[],
  writer: Writer,
): Promise<Enqueued[]> {
  const { database } = writer
  await database.run(sql`SAVEPOINT queue_unique`)
  let inTheWay: readonly string[] = []
  for (let tries = 1; ; tries += 1) {
    try {
      if (inTheWay.length > 0) await lockJobs(database, inTheWay).catch(throwKeyWait)
      const settled = await settle(requests, writer)
      await database.run(sql`RELEASE SAVEPOINT queue_unique`)
      return settled
    } catch (error) {
      if (!(error instanceof JobsLocked)) throw error
      if (tries === triesMax) throw keyLocked(error)
      await database.run(sql`ROLLBACK TO SAVEPOINT queue_unique`)
      inTheWay = error.ids
    }
  }
}

/** Jobs that wait under a wanted key, and that somebody else has locked. */
class JobsLocked extends Error {
  readonly ids: readonly string[]

  constructor(ids: readonly string[]) {
    super('jobs with unique keys are locked')
    this.ids = ids
  }
}

/** What goes on from round to round. */
interface Settlement extends Writer {
  readonly settled: Map<string, Enqueued>
  /** The jobs that the slots which this call has made were made for. */
  readonly made: ReadonlyMap<string, string>
  /** The slots that jobs of this call have taken. */
  readonly taken: Set<string>
  /** Jobs that could not be changed in an earlier round: where one waits still, somebody else has locked it. */
  readonly passedOver: Set<string>
}

/**
 * In each round every wanted slot that is free goes to the first request that asks for it, and those that meet a holder get
 * their answers. A known idempotency key comes before both: its request asks for nothing any more.
 */
async function settle(requests: readonly IdentifiedRequest[], writer: Writer): Promise<Enqueued[]> {
  const { database } = writer
  let waiting = requests.flatMap(claimantOf)
  const takes = [...new Map(waiting.toReversed().map((one) => [one.slot, one.take])).values()].toSorted(
    bySlot,
  )
  const made = await lockSlots(database, takes, writer.gated)
  const state: Settlement = {
    ...writer,
    settled: new Map(),
    made: new Map(takes.flatMap((take) => (made.has(slotName(take)) ? [[slotName(take), take.jobId]] : []))),
    taken: new Set(),
    passedOver: new Set(),
  }
  const isOpen = ({ request }: Claimant) => !state.settled.has(request.id)
  let others = requests.filter(({ unique }) => unique === null)
  while (waiting.length > 0 || others.length > 0) {
    const keyed = waiting.flatMap(({ request }) => (request.idempotencyKey === null ? [] : [request]))
    for (const [id, known] of await findByKeys(database, keyed)) state.settled.set(id, known)
    await settleRound(waiting.filter(isOpen), others, state)
    waiting = waiting.filter(isOpen)
    others = []
  }
  await dropSlots(
    database,
    takes.filter((take) => made.has(slotName(take)) && !state.taken.has(slotName(take))),
  )
  return requests.map((request) => state.settled.get(request.id) as Enqueued)
}

function claimantOf(request: IdentifiedRequest): Claimant[] {
  const { unique, kind, tenantId, id } = request
  if (unique === null) return []
  const { key, scope, windowMs, maxWaitMs, onConflict: policy } = unique
  const take = { tenantId: tenantId ?? '', kind, key, scope, windowMs, jobId: id }
  return [{ request, policy, maxWaitMs, take, slot: slotName(take) }]
}

async function settleRound(
  waiting: readonly Claimant[],
  others: readonly IdentifiedRequest[],
  state: Settlement,
): Promise<void> {
  const groups = Map.groupBy(waiting, ({ slot }) => slot)
  const firsts = [...groups.values()].map(([first]) => first as Claimant)
  const holders =
    waiting.length === 0
      ? none
      : await holdersOf(
          state.database,
          firsts.map(({ take }) => take),
        )
  const changes = [...groups].flatMap(([slot, group]) => {
    const holder = holders.get(slot)
    return holder === undefined ? [] : answerBy(holder, group, state)
  })
  await change(changes, state)
  const winners = firsts.filter(({ slot }) => !holders.has(slot))
  await insert(winners, others, state)
}

const none: ReadonlyMap<string, Holder> = new Map()

/** Writes the jobs of those who get their slots. One whose idempotency key turned up meanwhile gets none. */
async function insert(
  winners: readonly Claimant[],
  others: readonly IdentifiedRequest[],
  { settled, made, taken, database, insert: write }: Settlement,
): Promise<void> {
  const requests = [...winners.map(({ request }) => request), ...others]
  if (requests.length === 0) return
  for (const [index, enqueued] of (await write(requests)).entries()) {
    settled.set((requests[index] as IdentifiedRequest).id, enqueued)
  }
  const owners = winners.filter(({ request }) => settled.get(request.id)?.job.id === request.id)
  for (const { slot } of owners) taken.add(slot)
  await takeSlots(
    database,
    owners.flatMap(({ slot, take }) => (made.get(slot) === take.jobId ? [] : [take])),
  )
}

/** The requests for a slot that are to change its waiting job, and how. */
interface Merged {
  readonly holder: Holder
  readonly group: readonly [Claimant, ...Claimant[]]
  readonly change: WaitingChange
}

/** Answers those whom the holder of their slot needs no change for. */
function answerBy(holder: Holder, group: readonly Claimant[], { settled, isCallers }: Settlement): Merged[] {
  const { job, scope, isWithin } = holder
  const changing = group.filter(({ request, policy }) => {
    // Sent once more, because the reply was lost.
    if (request.id === job.id) settled.set(request.id, { job, replayed: false, mismatched: false })
    else if (!isWithin || policy === 'refuse' || (policy !== 'return' && scope !== 'waiting')) {
      settled.set(request.id, { ...asConflict(job), conflict: 'refused' })
    } else if (policy === 'return' && !(isCallers && scope === 'waiting')) {
      settled.set(request.id, { ...asConflict(job), conflict: 'returned' })
    } else return true
    return false
  })
  const [first, ...more] = changing
  if (first === undefined) return []
  const merged: Merged['group'] = [first, ...more]
  return [{ holder, group: merged, change: merge(holder, merged) }]
}

function asConflict(job: Enqueued['job']): Enqueued {
  return { job, replayed: false, mismatched: false }
}

/** One change in the place of several: the last of them decides. */
function merge({ job, takenAtMs }: Holder, group: Merged['group']): WaitingChange {
  const replacing = group.findLast(({ policy }) => policy === 'replace')
  const starting = group.findLast(({ policy }) => policy !== 'return')
  const { request, maxWaitMs } = starting ?? group[0]
  return {
    jobId: job.id,
    content: replacing !== undefined ? 'replace' : starting !== undefined ? 'reschedule' : 'hold',
    replacedBy: replacing?.request ?? request,
    startsAs: request,
    startMsMax: maxWaitMs === null ? null : takenAtMs + maxWaitMs,
  }
}

const outcomes = {
  return: 'returned',
  refuse: 'refused',
  replace: 'replaced',
  reschedule: 'rescheduled',
} as const

async function change(merged: readonly Merged[], state: Settlement): Promise<void> {
  if (merged.length === 0) return
  const changed = await changeWaiting(
    state.database,
    merged.map((one) => one.change),
    state.gated,
  )
  const missed = merged.filter(({ change: { jobId } }) => !changed.has(jobId)).map((one) => one.change.jobId)
  for (const { holder, group } of merged.filter((one) => changed.has(one.change.jobId))) {
    const job = changed.get(holder.job.id) ?? holder.job
    for (const { request, policy } of group) {
      state.settled.set(request.id, { ...asConflict(job), conflict: outcomes[policy] })
    }
  }
  const locked = missed.filter((id) => state.passedOver.has(id))
  if (locked.length > 0) throw new JobsLocked(locked)
  for (const id of missed) state.passedOver.add(id)
}
