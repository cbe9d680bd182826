import { setTimeout as wait } from 'node:timers/promises'
import type {
  CancelledJob,
  DeadLetterSelection,
  JobFilter,
  ManyResult,
  PreviousStart,
  RequeuedJob,
} from '@queue/core'
import { type Random, repeated } from '../nemesis/random.ts'
import type { ActSession } from './act-session.ts'
import {
  drawJobFilter,
  drawSelection,
  type FilterSource,
  isSelectedDeadLetter,
  isSelectedJob,
} from './filters.ts'
import { type Caller, drawCaller } from './caller.ts'
import { queues } from './population.ts'
import type { ActName, AnsweredMany, Records } from './records.ts'
import type { Version } from './row-versions.ts'

export interface ManyDeps extends FilterSource {
  readonly session: ActSession
  readonly records: () => Records
  readonly caller: Caller
}

type Call = (acts: ReturnType<Caller['actsFor']>) => Promise<ManyResult>

/** Makes one act on many. */
type ManyAct = (deps: ManyDeps) => Promise<void>

/** Some operations are carried out in small batches. */
const rateMax = 200

/** An act on the jobs of a filter, without further options. */
function ofFilter(act: 'delete' | 'erase'): ManyAct {
  return (deps) => {
    const filter = drawFilter(deps, act)
    return actOn(deps, ofJobs(act, filter), ({ many }) => many[act](filter, drawOptions(deps.random)))
  }
}

/** Cancels, and takes some of the cancels back. */
const cancel: ManyAct = async (deps) => {
  const filter = drawFilter(deps, 'cancel')
  let cancelled: readonly CancelledJob[] = []
  await actOn(deps, ofJobs('cancel', filter), async ({ many }) => {
    const result = await many.cancel(filter, drawOptions(deps.random))
    if (result.outcome === 'done') cancelled = result.cancelled
    return result
  })
  await undo(deps, { act: 'undo_cancel', changed: cancelled, call: ({ many }) => many.undoCancel(cancelled) })
}

const purge: ManyAct = (deps) => {
  const queue = deps.random.pick(queues)
  return actOn(deps, { ...ofJobs('cancel', { queue }), act: 'purge' }, ({ many }) => many.purge(queue))
}

/** Moves starts, and takes some of the moves back. */
const reschedule: ManyAct = async (deps) => {
  const filter = drawFilter(deps, 'reschedule')
  const runAt = drawStart(deps.random)
  let previous: readonly PreviousStart[] = []
  await actOn(deps, { ...ofJobs('reschedule', filter), runAt }, async ({ many }) => {
    const result = await many.reschedule(filter, { runAt, ...drawOptions(deps.random) })
    if (result.outcome === 'done') previous = result.previous
    return result
  })
  await undo(deps, { act: 'undo', changed: previous, call: ({ many }) => many.undoReschedule(previous) })
}

/** Requeues, and takes some of the requeues back. */
async function requeueAndUndo(deps: ManyDeps, selected: Selected, call: Call): Promise<void> {
  let requeued: readonly RequeuedJob[] = []
  await actOn(deps, selected, async (acts) => {
    const result = await call(acts)
    if (result.outcome === 'done') requeued = result.requeued
    return result
  })
  await undo(deps, { act: 'undo_requeue', changed: requeued, call: ({ many }) => many.undoRequeue(requeued) })
}

const requeue: ManyAct = (deps) => {
  const filter = drawFilter(deps, 'requeue')
  const options = drawOptions(deps.random)
  return requeueAndUndo(deps, ofJobs('requeue', filter), ({ many }) => many.requeue(filter, options))
}

const requeueDeadLetters: ManyAct = (deps) => {
  const selection = drawDeadLetters(deps)
  const options = drawOptions(deps.random)
  return requeueAndUndo(deps, ofDeadLetters(selection), ({ many }) =>
    many.requeueDeadLetters(selection, options),
  )
}

/** The same up to a thousand at a time, which is no bulk action. */
const requeueManyDeadLetters: ManyAct = (deps) => {
  const selection = drawDeadLetters(deps)
  return requeueAndUndo(deps, { ...ofDeadLetters(selection), isNamed: true }, async ({ deadLetters }) => {
    const jobs = await deadLetters.requeueMany(selection, { all: true })
    return {
      outcome: 'done',
      jobIds: jobs.map(({ id }) => id),
      skipped: 0,
      previous: [],
      cancelled: [],
      requeued: jobs.map(({ id, updatedAt }) => ({ id, changedAt: updatedAt })),
    }
  })
}

/** Requeues one job, and takes some of the requeues back. */
const requeueOne: ManyAct = async (deps) => {
  const { session, records, random, rows } = deps
  if (rows.length === 0) return
  const requeued: RequeuedJob[] = []
  await session.act('requeue', async ({ name }) => {
    const { id, updatedAt } = await session.queue.requeue(random.pick(rows).id)
    requeued.push({ id, changedAt: updatedAt })
    records().ones.push({ name, jobs: 1 })
  })
  await undo(deps, { act: 'undo_requeue', changed: requeued, call: ({ many }) => many.undoRequeue(requeued) })
}

/** How long others may change the jobs before an undo, in milliseconds. */
const undoneAfterMsMax = 5

interface Undo {
  readonly act: 'undo' | 'undo_cancel' | 'undo_requeue'
  /** The jobs that the act to undo has changed. */
  readonly changed: readonly { readonly id: string; readonly changedAt: Date }[]
  readonly call: Call
}

/** Takes back half of the acts, on the jobs that nothing has changed since. */
async function undo(deps: ManyDeps, { act, changed, call }: Undo): Promise<void> {
  if (changed.length === 0 || deps.random.chance(0.5)) return
  await wait(deps.random.between(0, undoneAfterMsMax))
  const changedMs = new Map(changed.map(({ id, changedAt }) => [id, changedAt.getTime()]))
  const selected: Selected = {
    act,
    request: [...changedMs.keys()],
    isNamed: true,
    selects: ({ id, row }) => changedMs.get(id) === Date.parse(row.updated_at),
  }
  await actOn(deps, selected, call)
}

const dryRun: ManyAct = ({ session, records, caller, ...deps }) => {
  const act = deps.random.pick(['cancel', 'requeue', 'delete'] as const)
  const filter = caller.admit(drawJobFilter(deps, 0, 2))
  return session.act(act, async ({ before }) => {
    const { count } = await caller.operations.dryRun(act, filter)
    const asked = withinBounds(caller, ofJobs(act, filter))
    records().dryRuns.push({ ...asked, before, after: await session.snapshot(), count })
  })
}

/** The acts on many, by how often each is made. */
const manyActs = repeated<ManyAct>([
  [3, cancel],
  [4, requeue],
  [2, requeueOne],
  [3, reschedule],
  [1, ofFilter('delete')],
  [1, ofFilter('erase')],
  [1, purge],
  [2, requeueDeadLetters],
  [2, requeueManyDeadLetters],
  [1, dryRun],
])

/** Makes a random act on many. */
export function actOnMany(deps: Omit<ManyDeps, 'caller'>): Promise<void> {
  const caller = drawCaller(deps.session.queue, deps.random)
  return deps.random.pick(manyActs)({ ...deps, caller })
}

interface Selected extends Pick<AnsweredMany, 'act' | 'request' | 'selects' | 'runAt'> {
  /** Whether it does not count what it skips, but what its caller has named. */
  readonly isNamed?: true
}

/** Acts that remove or end most jobs would leave nothing to race for, so their filters have more members. */
const membersMin: Partial<Record<ActName, number>> = { cancel: 1, delete: 2, erase: 2 }
const membersMax = 3

function drawFilter(deps: ManyDeps, act: ActName): JobFilter {
  return deps.caller.admit(drawJobFilter(deps, membersMin[act] ?? 0, membersMax))
}

function drawDeadLetters(deps: ManyDeps): DeadLetterSelection {
  const selection = drawSelection(deps)
  const { tenantId: _, ...admitted } = selection
  return deps.caller.scope === undefined ? selection : admitted
}

function ofJobs(act: ActName, filter: JobFilter): Selected {
  return { act, request: filter, selects: (version: Version) => isSelectedJob(version, filter) }
}

function ofDeadLetters(selection: DeadLetterSelection): Selected {
  return {
    act: 'requeue_dead_letters',
    request: selection,
    selects: (version) => isSelectedDeadLetter(version, selection),
  }
}

function withinBounds<Asked extends Selected>({ scope, owns }: Caller, asked: Asked): Asked {
  const { request, selects } = asked
  return {
    ...asked,
    request: { scope, request },
    selects: (version) => owns(version.row) && selects(version),
  }
}

/** Makes the act, and records its answer, or the operation that it has become. */
function actOn({ session, records, caller }: ManyDeps, asked: Selected, call: Call): Promise<void> {
  const { isNamed, ...selected } = withinBounds(caller, asked)
  return session.act(selected.act, async ({ name, before }) => {
    const result = await call(caller.actsFor(name))
    const audited = caller.isAudited ? name : undefined
    if (result.outcome === 'operation') {
      records().operations.push({ ...selected, id: result.operation.id, before, audited })
      return
    }
    const { jobIds: ids } = result
    const skipped = isNamed === true ? undefined : result.skipped
    const answer = { changed: ids.length, ids, skipped, names: [name], before, audited }
    records().many.push({ ...selected, ...answer, after: await session.snapshot() })
  })
}

/** Some filters that are drawn have no condition. */
function drawOptions(random: Random): { readonly all: true; readonly rate?: number } {
  return { all: true, ...(random.chance(0.1) && { rate: random.between(rateMax / 2, rateMax) }) }
}

/** A past start counts as now. The latest one is after every expiry. */
function drawStart(random: Random): Date {
  const hourMs = 3_600_000
  return new Date(Date.now() + random.pick([-hourMs, hourMs, 3 * hourMs]))
}
