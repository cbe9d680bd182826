import type { ActOnJobs, ActResult, UndoReschedule } from '@queue/client'
import type { JobFilter, ManyActs, ManyOptions } from '@queue/core'
import { type Context, defineCommand } from '../command.ts'
import { type AnyClient, eitherWay } from '../doors/door.ts'
import { toFilter } from '../doors/wire.ts'
import type { ExitCode } from '../exit-codes.ts'
import { usageFailure } from '../failure.ts'
import { duration, flag, instant, type ValuesOf } from '../options.ts'
import { manyOptions, showAct, toActResult, toCount } from './by-filter.ts'
import { cancelJob, changeEach, type ChangeOne, requeueJob } from './change-jobs.ts'
import { jobFilterOptions, toJobFilter } from './jobs.ts'
import { readDocument } from './payload.ts'

interface ActByFilter {
  readonly act: 'cancel' | 'requeue' | 'delete' | 'erase'
  readonly api: (client: AnyClient, act: ActOnJobs) => Promise<ActResult>
  readonly database: (
    many: ManyActs,
    filter: JobFilter,
    options: ManyOptions,
  ) => ReturnType<ManyActs['cancel']>
  readonly done: string
}

function onFilter({ act, api, database }: ActByFilter) {
  return eitherWay<ActOnJobs, Promise<ActResult>>({
    api,
    database: async (queue, { filter, dry_run: isDry, rate }) => {
      const decoded = toFilter(filter) as JobFilter
      if (isDry) return toCount(await queue.operations.dryRun(act, decoded))
      return toActResult(await database(queue.many, decoded, { rate }))
    },
  })
}

const acts = {
  cancel: {
    act: 'cancel',
    api: (client, given) => client.cancelJobs(given),
    database: (many, filter, options) => many.cancel(filter, options),
    done: 'cancelled',
  },
  requeue: {
    act: 'requeue',
    api: (client, given) => client.requeueJobs(given),
    database: (many, filter, options) => many.requeue(filter, options),
    done: 'requeued',
  },
  delete: {
    act: 'delete',
    api: (client, given) => client.deleteJobs(given),
    database: (many, filter, options) => many.delete(filter, options),
    done: 'deleted',
  },
  erase: {
    act: 'erase',
    api: (client, given) => client.eraseJobs(given),
    database: (many, filter, options) => many.erase(filter, options),
    done: 'erased',
  },
} as const satisfies Record<string, ActByFilter>

const filterOptions = {
  ...jobFilterOptions,
  all: flag('every job; needed where neither ids nor filters are given'),
  ...manyOptions,
} as const

type FilterValues = ValuesOf<typeof filterOptions>

/** What the options say of which jobs. Throws where they say nothing. */
function filterFrom(values: FilterValues): ActOnJobs {
  const filter = toJobFilter(values)
  if (Object.keys(filter).length === 0 && !values.all) {
    throw usageFailure('this would change every job', 'give a filter, or --all')
  }
  const { rate } = values
  return { filter, ...(values['dry-run'] && { dry_run: true }), ...(rate !== undefined && { rate }) }
}

async function actByFilter(context: Context<FilterValues>, act: ActByFilter): Promise<ExitCode | void> {
  const given = filterFrom(context.values)
  const result = await onFilter(act)(await context.door(), given)
  return showAct(context, result, act)
}

/** By ids, one after the other; or by filter. */
async function eachOrFilter(
  context: Context<FilterValues>,
  one: ChangeOne,
  act: ActByFilter,
): Promise<ExitCode | void> {
  const { words, values } = context
  if (words.length === 0 && Object.keys(values).length === 0) {
    throw usageFailure('no jobs are named', 'give ids, or a filter, or --all')
  }
  if (words.length === 0) return actByFilter(context, act)
  const others = Object.keys(filterOptions).filter((name) => name in values)
  if (others.length > 0) throw usageFailure('ids go alone', 'give ids, or filters, or --all')
  return changeEach(context, one)
}

const many =
  'By filter, up to a thousand are changed at once, all or none. More become an operation, which workers carry out: it is shown until it ends, and goes on after Ctrl-C.'

export const cancelJobs = defineCommand({
  name: 'cancel',
  summary: 'cancel jobs, by id or by filter: waiting ones at once, running ones at their next safe point',
  description: many,
  arguments: [{ name: 'ID', count: 'any' }],
  options: filterOptions,
  examples: [
    { line: 'queue cancel ID', says: 'Cancel one job' },
    { line: 'queue cancel --queue mail --status queued --dry-run', says: 'How many wait in a queue' },
  ],
  run: (context) => eachOrFilter(context, cancelJob, acts.cancel),
})

const requeueOptions = {
  ...filterOptions,
  'expires-at': instant(
    'INSTANT',
    'cancel a job named by its id if it has not begun by then; needed where its expiry is past',
  ),
  'expires-in': duration('DURATION', 'the same after so long, such as 10m'),
} as const

export const requeueJobs = defineCommand({
  name: 'requeue',
  summary: 'give failed or cancelled jobs a new life, by id or by filter',
  description: many,
  arguments: [{ name: 'ID', count: 'any' }],
  options: requeueOptions,
  examples: [
    { line: 'queue requeue ID', says: 'Run a job again, its attempts counted anew' },
    {
      line: 'queue requeue --kind send_email --finished-after 2026-01-15 --dry-run',
      says: 'How many failed or were cancelled since a day',
    },
  ],
  run: (context) => {
    const { 'expires-at': at, 'expires-in': inMs, ...values } = context.values
    const expiry = {
      ...(at !== undefined && { expires_at: at }),
      ...(inMs !== undefined && { expires_in_ms: inMs }),
    }
    if (context.words.length === 0 && Object.keys(expiry).length > 0) {
      throw usageFailure('an expiry goes with ids', 'give ids, or no expiry')
    }
    const one: ChangeOne = (door, id) => requeueJob(door, { id, expiry })
    return eachOrFilter({ ...context, values }, one, acts.requeue)
  },
})

export const deleteJobs = defineCommand({
  name: 'delete',
  summary: 'remove jobs that do not run, with their attempts and dead letters',
  description: 'Workers carry it out: it is shown until it ends, and goes on after Ctrl-C.',
  arguments: [],
  options: filterOptions,
  examples: [
    {
      line: 'queue delete --status succeeded --finished-before 2026-01-01 --dry-run',
      says: 'How many ended before a day',
    },
  ],
  run: (context) => actByFilter(context, acts.delete),
})

export const eraseJobs = defineCommand({
  name: 'erase',
  summary: 'remove jobs that do not run, and what names them in the audit log',
  description: 'Workers carry it out: it is shown until it ends, and goes on after Ctrl-C.',
  arguments: [],
  options: filterOptions,
  examples: [
    { line: 'queue erase --tenant acme --detach', says: 'All that is kept of the jobs of a tenant' },
  ],
  run: (context) => actByFilter(context, acts.erase),
})

const rescheduleOptions = {
  ...filterOptions,
  'run-at': instant('INSTANT', 'the earliest start of all of them; a past one counts as now'),
} as const

const reschedule = eitherWay<ActOnJobs & { readonly run_at: string }, Promise<ActResult>>({
  api: (client, given) => client.rescheduleJobs(given),
  database: async (queue, { filter, dry_run: isDry, rate, run_at: runAt }) => {
    const decoded = toFilter(filter) as JobFilter
    if (isDry) return toCount(await queue.operations.dryRun('reschedule', decoded))
    return toActResult(await queue.many.reschedule(decoded, { rate, runAt: new Date(runAt) }))
  },
})

export const rescheduleJobs = defineCommand({
  name: 'reschedule',
  summary: 'move the earliest start of waiting jobs',
  description: many,
  arguments: [],
  options: rescheduleOptions,
  examples: [
    {
      line: 'queue reschedule --queue mail --run-at 2031-01-16T09:30:00Z',
      says: 'All that waits in a queue, to a later day',
    },
  ],
  async run(context) {
    const { 'run-at': runAt } = context.values
    if (runAt === undefined) throw usageFailure('it is not said when they may start', 'give --run-at INSTANT')
    const given = filterFrom(context.values)
    const result = await reschedule(await context.door(), { ...given, run_at: runAt })
    return showAct(context, result, { done: 'rescheduled' })
  },
})

const undo = eitherWay<UndoReschedule, Promise<ActResult>>({
  api: (client, given) => client.undoReschedule(given),
  database: async (queue, { jobs }) => {
    const previous = jobs.map(({ id, run_at: runAt, changed_at: changedAt }) => ({
      id,
      runAt: new Date(runAt),
      changedAt: new Date(changedAt),
    }))
    return toActResult(await queue.many.undoReschedule(previous))
  },
})

export const undoReschedule = defineCommand({
  name: 'undo-reschedule',
  summary: 'give jobs the start that they had before a reschedule',
  description:
    'The file is what `queue reschedule --json` has shown, of jobs that it moved at once. Those that were changed since stay as they are.',
  arguments: [{ name: 'FILE' }],
  options: {},
  examples: [
    {
      line: 'queue undo-reschedule moved.json',
      says: 'Each of them back, after `queue reschedule … --json > moved.json`',
    },
  ],
  async run(context) {
    const jobs = await readPrevious(context, context.words[0] ?? '')
    return showAct({ ...context, values: {} }, await undo(await context.door(), { jobs }), {
      done: 'moved back',
    })
  },
})

/** Which jobs they are of, the queue says. */
async function readPrevious(
  context: Pick<Context<unknown>, 'readInput'>,
  path: string,
): Promise<UndoReschedule['jobs']> {
  const given = await readDocument(context, { path, option: 'the file' })
  const previous =
    typeof given === 'object' && given !== null && 'previous' in given ? given.previous : undefined
  if (!Array.isArray(previous) || !previous.every(isFormerStart)) {
    throw usageFailure('the file holds no former starts', 'it is what `queue reschedule --json` has shown')
  }
  if (previous.length > 0) return previous
  throw usageFailure('no job was moved at once', 'what workers carry out has no undo: cancel the operation')
}

function isFormerStart(given: unknown): given is UndoReschedule['jobs'][number] {
  if (typeof given !== 'object' || given === null) return false
  const { id, run_at: runAt, changed_at: changedAt } = given as Partial<UndoReschedule['jobs'][number]>
  return typeof id === 'string' && [runAt, changedAt].every((at) => !Number.isNaN(Date.parse(at ?? '')))
}
