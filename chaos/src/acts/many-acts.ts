import type { DeadLetterSelection, JobFilter, ManyResult, PreviousStart } from '@queue/core'
import { type Random, repeated } from '../nemesis/random.ts'
import type { ActSession } from './act-session.ts'
import {
  drawJobFilter,
  drawSelection,
  type FilterSource,
  isSelectedDeadLetter,
  isSelectedJob,
} from './filters.ts'
import { queues } from './population.ts'
import type { ActName, AnsweredMany, Records } from './records.ts'
import type { Version } from './row-versions.ts'

export interface ManyDeps {
  readonly session: ActSession
  readonly records: () => Records
  readonly source: FilterSource
}

/** Makes one act on many. */
type ManyAct = (deps: ManyDeps) => Promise<void>

/** Some operations are carried out in small batches. */
const rateMax = 200

/** An act on the jobs of a filter, without further options. */
function ofFilter(act: 'cancel' | 'requeue' | 'delete' | 'erase'): ManyAct {
  return (deps) => {
    const filter = drawFilter(deps, act)
    return actOn(deps, ofJobs(act, filter), () =>
      deps.session.queue.many[act](filter, drawRate(deps.source.random)),
    )
  }
}

const purge: ManyAct = (deps) => {
  const queue = deps.source.random.pick(queues)
  return actOn(
    deps,
    { act: 'purge', request: { queue }, selects: (version) => isSelectedJob(version, { queue }) },
    () => deps.session.queue.many.purge(queue),
  )
}

/** Moves starts, and takes some of the moves back. */
const reschedule: ManyAct = async (deps) => {
  const { session, source } = deps
  const filter = drawFilter(deps, 'reschedule')
  const runAt = drawStart(source.random)
  let previous: readonly PreviousStart[] = []
  await actOn(deps, { ...ofJobs('reschedule', filter), runAt }, async () => {
    const result = await session.queue.many.reschedule(filter, { runAt, ...drawRate(source.random) })
    if (result.outcome === 'done') previous = result.previous
    return result
  })
  if (previous.length === 0 || source.random.chance(0.5)) return
  const changedMs = new Map(previous.map(({ id, changedAt }) => [id, changedAt.getTime()]))
  const selected: Selected = {
    act: 'undo',
    request: [...changedMs.keys()],
    isNamed: true,
    selects: ({ id, row }) => changedMs.get(id) === Date.parse(row.updated_at),
  }
  await actOn(deps, selected, () => session.queue.many.undoReschedule(previous))
}

const requeueDeadLetters: ManyAct = (deps) => {
  const selection = drawSelection(deps.source)
  return actOn(deps, ofDeadLetters(selection), () =>
    deps.session.queue.many.requeueDeadLetters(selection, drawRate(deps.source.random)),
  )
}

/** The same in calls that are no bulk actions: up to a thousand, each of which commits for itself. */
const requeueManyDeadLetters: ManyAct = ({ session, records, source }) => {
  const selection = drawSelection(source)
  return session.act('requeue_dead_letters', async ({ name, before }) => {
    const jobs = await session.queue.deadLetters.requeueMany(selection)
    const answer = { changed: jobs.length, ids: jobs.map(({ id }) => id), names: [name], before }
    records().many.push({ ...ofDeadLetters(selection), ...answer, after: await session.snapshot() })
  })
}

const dryRun: ManyAct = ({ session, records, source }) => {
  const act = source.random.pick(['cancel', 'requeue', 'delete'] as const)
  const filter = drawJobFilter(source, 0, 2)
  return session.act(act, async ({ before }) => {
    const { count } = await session.queue.operations.dryRun(act, filter)
    records().dryRuns.push({ ...ofJobs(act, filter), before, after: await session.snapshot(), count })
  })
}

/** The acts on many, by how often each is made. */
export const manyActs = repeated<ManyAct>([
  [3, ofFilter('cancel')],
  [4, ofFilter('requeue')],
  [3, reschedule],
  [1, ofFilter('delete')],
  [1, ofFilter('erase')],
  [1, purge],
  [2, requeueDeadLetters],
  [2, requeueManyDeadLetters],
  [1, dryRun],
])

interface Selected extends Pick<AnsweredMany, 'act' | 'request' | 'selects' | 'runAt'> {
  /** Whether the caller names the jobs: those that do not qualify are then skipped, although nothing has selected them. */
  readonly isNamed?: true
}

/** Acts that remove or end most jobs would leave nothing to race for, so their filters have more members. */
const membersMin: Partial<Record<ActName, number>> = { cancel: 1, delete: 2, erase: 2 }
const membersMax = 3

function drawFilter({ source }: ManyDeps, act: ActName): JobFilter {
  return drawJobFilter(source, membersMin[act] ?? 0, membersMax)
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

/** Makes the act, and records its answer, or the operation that it has become. */
function actOn(
  { session, records }: ManyDeps,
  { isNamed, ...selected }: Selected,
  call: () => Promise<ManyResult>,
): Promise<void> {
  return session.act(selected.act, async ({ name, before }) => {
    const result = await call()
    if (result.outcome === 'operation') {
      records().operations.push({ ...selected, id: result.operation.id, before })
      return
    }
    const { jobIds: ids } = result
    const skipped = isNamed === true ? undefined : result.skipped
    const answer = { changed: ids.length, ids, skipped, names: [name], before }
    records().many.push({ ...selected, ...answer, after: await session.snapshot() })
  })
}

function drawRate(random: Random): { readonly rate?: number } {
  return random.chance(0.1) ? { rate: random.between(rateMax / 2, rateMax) } : {}
}

/** A past start counts as now. The latest one is after every expiry. */
function drawStart(random: Random): Date {
  const hourMs = 3_600_000
  return new Date(Date.now() + random.pick([-hourMs, hourMs, 3 * hourMs]))
}
