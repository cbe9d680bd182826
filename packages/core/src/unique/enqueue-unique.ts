// (nothing) → queued, where some of the jobs have a unique key. Called by any user of the queue.
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
  type SlotRequest,
  takeSlots,
  throwIfKeyLocked,
} from './slots.ts'
import { bySlot } from './take-live-slots.ts'

/** How often an enqueue starts over because other transactions had locked the jobs that it has to change. */
const triesMax = 10

/** The statements of an enqueue inside a transaction. */
interface Writer {
  readonly database: QueueDatabase
  readonly runGated: RunGated
  readonly insert: (requests: readonly IdentifiedRequest[]) => Promise<Enqueued[]>
  /** Whether the transaction is the caller's, and may stay open for long. */
  readonly isCallers: boolean
}

/** A request with a unique key, and the slot of that key. */
interface UniqueRequest {
  readonly request: IdentifiedRequest
  readonly policy: 'return' | 'refuse' | 'replace' | 'reschedule'
  readonly maxWaitMs: number | null
  readonly slotRequest: SlotRequest
  /** The name of the slot. */
  readonly slot: string
}

/** Whether one of the requests has a unique key. */
export function hasUnique(requests: readonly Pick<IdentifiedRequest, 'unique'>[]): boolean {
  return requests.some(({ unique }) => unique !== null)
}

/** Writes these jobs in a transaction of ours, whether they have unique keys or not. */
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
 * Writes these jobs in a transaction of ours. Throws `unique_key_locked` when another open transaction holds one of the
 * keys.
 */
function enqueueUnique(
  database: QueueDatabase,
  requests: readonly IdentifiedRequest[],
  { lockTimeoutMs }: EnqueueOptions = {},
): Promise<Enqueued[]> {
  return answerWithRetries(requests, {
    database,
    runGated: gatedByTimeout(database, lockTimeoutMs),
    insert: (subset) => enqueueJobs(database, subset, {}),
    isCallers: false,
  })
}

/** Writes these jobs in the caller's transaction, and notifies the workers. */
export function enqueueUniqueInside(
  database: CallerDatabase,
  requests: readonly IdentifiedRequest[],
  notifications: readonly Notification[],
): Promise<Enqueued[]> {
  return answerWithRetries(requests, {
    database,
    runGated: gatedByCaller(database),
    insert: (subset) => enqueueJobsInside(database, subset, notifications),
    isCallers: true,
  })
}

/**
 * Answers all requests. Locks are taken in one order: jobs by id, then slots by key, then idempotency keys by key. A
 * job that holds a locked slot is only locked where that needs no wait. Where another transaction has it, everything is
 * rolled back to the savepoint, and the next try waits for the job before it takes any slot.
 */
async function answerWithRetries(
  requests: readonly IdentifiedRequest[],
  writer: Writer,
): Promise<Enqueued[]> {
  const { database } = writer
  await database.run(sql`SAVEPOINT queue_unique`)
  let lockedJobIds: readonly string[] = []
  for (let tries = 1; ; tries += 1) {
    try {
      if (lockedJobIds.length > 0) await lockJobs(database, lockedJobIds).catch(throwIfKeyLocked)
      const answers = await answerAll(requests, writer)
      await database.run(sql`RELEASE SAVEPOINT queue_unique`)
      return answers
    } catch (error) {
      if (!(error instanceof JobsLocked)) throw error
      if (tries === triesMax) throw keyLocked(error)
      await database.run(sql`ROLLBACK TO SAVEPOINT queue_unique`)
      lockedJobIds = error.ids
    }
  }
}

/** Thrown where jobs that wait under a requested key are locked by other transactions. */
class JobsLocked extends Error {
  readonly ids: readonly string[]

  constructor(ids: readonly string[]) {
    super('jobs with unique keys are locked')
    this.ids = ids
  }
}

/** The state of an enqueue, which lasts for all of its rounds. */
interface EnqueueState extends Writer {
  /** By the id of the request. */
  readonly answers: Map<string, Enqueued>
  /** The new slots that this call has inserted, each with the job that its row names. */
  readonly insertedSlots: ReadonlyMap<string, string>
  /** The slots that jobs of this call have taken. */
  readonly takenSlots: Set<string>
  /** Jobs that could not be changed in an earlier round. If one still waits, another transaction has locked it. */
  readonly skippedJobIds: Set<string>
}

/**
 * Answers the requests in rounds. In each round, every free slot goes to the first request that asks for it, and the
 * requests for held slots get their answers. A request with a known idempotency key is answered before that, and asks
 * for no slot.
 */
async function answerAll(requests: readonly IdentifiedRequest[], writer: Writer): Promise<Enqueued[]> {
  const { database } = writer
  let waiting = requests.flatMap(uniqueRequestOf)
  const firstBySlot = new Map(waiting.toReversed().map(({ slot, slotRequest }) => [slot, slotRequest]))
  const slotRequests = [...firstBySlot.values()].toSorted(bySlot)
  const inserted = await lockSlots(database, slotRequests, writer.runGated)
  const insertedSlots = slotRequests.flatMap((slotRequest) => {
    const slot = slotName(slotRequest)
    return inserted.has(slot) ? [[slot, slotRequest.jobId] as const] : []
  })
  const state: EnqueueState = {
    ...writer,
    answers: new Map(),
    insertedSlots: new Map(insertedSlots),
    takenSlots: new Set(),
    skippedJobIds: new Set(),
  }
  const isUnanswered = ({ request }: UniqueRequest) => !state.answers.has(request.id)
  let others = requests.filter(({ unique }) => unique === null)
  while (waiting.length > 0 || others.length > 0) {
    const keyed = waiting.flatMap(({ request }) => (request.idempotencyKey === null ? [] : [request]))
    for (const [id, known] of await findByKeys(database, keyed)) state.answers.set(id, known)
    await answerRound(waiting.filter(isUnanswered), others, state)
    waiting = waiting.filter(isUnanswered)
    others = []
  }
  await dropSlots(
    database,
    slotRequests.filter((slotRequest) => {
      const slot = slotName(slotRequest)
      return inserted.has(slot) && !state.takenSlots.has(slot)
    }),
  )
  return requests.map((request) => state.answers.get(request.id) as Enqueued)
}

function uniqueRequestOf(request: IdentifiedRequest): UniqueRequest[] {
  const { unique, kind, tenantId, id } = request
  if (unique === null) return []
  const { key, scope, windowMs, maxWaitMs, onConflict: policy } = unique
  const slotRequest = { tenantId: tenantId ?? '', kind, key, scope, windowMs, jobId: id }
  return [{ request, policy, maxWaitMs, slotRequest, slot: slotName(slotRequest) }]
}

async function answerRound(
  waiting: readonly UniqueRequest[],
  others: readonly IdentifiedRequest[],
  state: EnqueueState,
): Promise<void> {
  const groups = Map.groupBy(waiting, ({ slot }) => slot)
  const firsts = [...groups.values()].map(([first]) => first as UniqueRequest)
  const holders =
    waiting.length === 0
      ? noHolders
      : await holdersOf(
          state.database,
          firsts.map(({ slotRequest }) => slotRequest),
        )
  const changes = [...groups].flatMap(([slot, group]) => {
    const holder = holders.get(slot)
    return holder === undefined ? [] : answerFromHolder(holder, group, state)
  })
  await changeHolders(changes, state)
  const winners = firsts.filter(({ slot }) => !holders.has(slot))
  await insertJobs(winners, others, state)
}

const noHolders: ReadonlyMap<string, Holder> = new Map()

/** Inserts the jobs of the requests that get their slots. A request whose idempotency key has meanwhile been used gets none. */
async function insertJobs(
  winners: readonly UniqueRequest[],
  others: readonly IdentifiedRequest[],
  { answers, insertedSlots, takenSlots, database, insert }: EnqueueState,
): Promise<void> {
  const requests = [...winners.map(({ request }) => request), ...others]
  if (requests.length === 0) return
  for (const [index, enqueued] of (await insert(requests)).entries()) {
    answers.set((requests[index] as IdentifiedRequest).id, enqueued)
  }
  const owners = winners.filter(({ request }) => answers.get(request.id)?.job.id === request.id)
  for (const { slot } of owners) takenSlots.add(slot)
  await takeSlots(
    database,
    owners.flatMap(({ slot, slotRequest }) =>
      insertedSlots.get(slot) === slotRequest.jobId ? [] : [slotRequest],
    ),
  )
}

/** The requests that change the waiting job of one slot, merged into one change. */
interface MergedChange {
  readonly holder: Holder
  readonly group: readonly [UniqueRequest, ...UniqueRequest[]]
  readonly change: WaitingChange
}

/** Answers the requests for which the slot's holder needs no change. Merges the others into one change. */
function answerFromHolder(
  holder: Holder,
  group: readonly UniqueRequest[],
  { answers, isCallers }: EnqueueState,
): MergedChange[] {
  const { job, scope, isWithin } = holder
  const changing = group.filter(({ request, policy }) => {
    // Sent again, because the reply was lost.
    if (request.id === job.id) answers.set(request.id, { job, replayed: false, mismatched: false })
    else if (!isWithin || policy === 'refuse' || (policy !== 'return' && scope !== 'waiting')) {
      answers.set(request.id, { ...asConflict(job), conflict: 'refused' })
    } else if (policy === 'return' && !(isCallers && scope === 'waiting')) {
      answers.set(request.id, { ...asConflict(job), conflict: 'returned' })
    } else return true
    return false
  })
  const [first, ...others] = changing
  if (first === undefined) return []
  const requests: MergedChange['group'] = [first, ...others]
  return [{ holder, group: requests, change: mergeRequests(holder, requests) }]
}

function asConflict(job: Enqueued['job']): Enqueued {
  return { job, replayed: false, mismatched: false }
}

/** One change in place of several: the last request that replaces or reschedules decides. */
function mergeRequests({ job, takenAtMs }: Holder, group: MergedChange['group']): WaitingChange {
  const lastReplace = group.findLast(({ policy }) => policy === 'replace')
  const lastStart = group.findLast(({ policy }) => policy !== 'return')
  const { request, maxWaitMs } = lastStart ?? group[0]
  return {
    jobId: job.id,
    content: lastReplace !== undefined ? 'replace' : lastStart !== undefined ? 'reschedule' : 'hold',
    replacedBy: lastReplace?.request ?? request,
    startsAs: request,
    startMsMax: maxWaitMs === null ? null : takenAtMs + maxWaitMs,
  }
}

const conflictOutcomes = {
  return: 'returned',
  refuse: 'refused',
  replace: 'replaced',
  reschedule: 'rescheduled',
} as const

/** Makes the changes and answers their requests. Throws `JobsLocked` where a job was locked in two rounds. */
async function changeHolders(merged: readonly MergedChange[], state: EnqueueState): Promise<void> {
  if (merged.length === 0) return
  const changed = await changeWaiting(
    state.database,
    merged.map((one) => one.change),
    state.runGated,
  )
  const unchanged = merged
    .filter(({ change: { jobId } }) => !changed.has(jobId))
    .map((one) => one.change.jobId)
  for (const { holder, group } of merged.filter((one) => changed.has(one.change.jobId))) {
    const job = changed.get(holder.job.id) ?? holder.job
    for (const { request, policy } of group) {
      state.answers.set(request.id, { ...asConflict(job), conflict: conflictOutcomes[policy] })
    }
  }
  const locked = unchanged.filter((id) => state.skippedJobIds.has(id))
  if (locked.length > 0) throw new JobsLocked(locked)
  for (const id of unchanged) state.skippedJobIds.add(id)
}
