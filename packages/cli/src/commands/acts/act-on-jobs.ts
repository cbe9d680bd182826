import type { ActOnJobs, ActResult, UndoCancel, UndoRequeue, UndoReschedule } from '@queue/client'
import { duration, type ExitCode, flag, timestamp, usageFailure, type ValuesOf } from '@queue/commands'
import type { ByFilterOptions, JobFilter, ManyActs } from '@queue/core'
import { type Context, defineCommand } from '../../command.ts'
import { type AnyClient, backendCall } from '../../backends/backend.ts'
import { toFilter } from '../../backends/wire.ts'
import { bulkOptions, byFilterOptionsOf, printActResult, toActResult, toDryRunResult } from './bulk-action.ts'
import { cancelJob, changeEach, type ChangeOne, requeueJob } from './change-jobs.ts'
import { jobFilterOptions, toJobFilter } from '../reads/jobs.ts'
import { cancelUndo, readUndo, requeueUndo, rescheduleUndo } from './undo-file.ts'

interface BulkAction {
  readonly act: 'cancel' | 'requeue' | 'delete' | 'erase'
  readonly api: (client: AnyClient, request: ActOnJobs) => Promise<ActResult>
  readonly database: (
    many: ManyActs,
    filter: JobFilter,
    options: ByFilterOptions,
  ) => ReturnType<ManyActs['cancel']>
  /** What happened to each job, such as `cancelled`. */
  readonly pastTense: string
}

function runBulkAction({ act, api, database }: BulkAction) {
  return backendCall<ActOnJobs, Promise<ActResult>>({
    api,
    database: async (queue, { filter, dry_run: isDry, all, rate }) => {
      const decoded = toFilter(filter) as JobFilter
      if (isDry) return toDryRunResult(await queue.operations.dryRun(act, decoded))
      return toActResult(await database(queue.many, decoded, { all, rate }))
    },
  })
}

const bulkActions = {
  cancel: {
    act: 'cancel',
    api: (client, request) => client.cancelJobs(request),
    database: (many, filter, options) => many.cancel(filter, options),
    pastTense: 'cancelled',
  },
  requeue: {
    act: 'requeue',
    api: (client, request) => client.requeueJobs(request),
    database: (many, filter, options) => many.requeue(filter, options),
    pastTense: 'requeued',
  },
  delete: {
    act: 'delete',
    api: (client, request) => client.deleteJobs(request),
    database: (many, filter, options) => many.delete(filter, options),
    pastTense: 'deleted',
  },
  erase: {
    act: 'erase',
    api: (client, request) => client.eraseJobs(request),
    database: (many, filter, options) => many.erase(filter, options),
    pastTense: 'erased',
  },
} as const satisfies Record<string, BulkAction>

const filterOptions = {
  ...jobFilterOptions,
  all: flag('select every job; required without ids and filters'),
  ...bulkOptions,
} as const

type FilterValues = ValuesOf<typeof filterOptions>

/** The request of a bulk action. Throws if neither a filter nor --all is given. */
function bulkRequest(values: FilterValues): ActOnJobs {
  const filter = toJobFilter(values)
  if (Object.keys(filter).length === 0 && !values.all) {
    throw usageFailure('this would change every job', 'give a filter, or --all')
  }
  return { filter, ...byFilterOptionsOf(values) }
}

async function actByFilter(context: Context<FilterValues>, action: BulkAction): Promise<ExitCode | void> {
  const request = bulkRequest(context.values)
  const result = await runBulkAction(action)(await context.connect(), request)
  return printActResult(context, result, action)
}

/** Changes the jobs with the given ids one by one, or the jobs that match a filter. */
async function actByIdOrFilter(
  context: Context<FilterValues>,
  changeOne: ChangeOne,
  action: BulkAction,
): Promise<ExitCode | void> {
  const { args, values } = context
  if (args.length === 0 && Object.keys(values).length === 0) {
    throw usageFailure('no jobs are selected', 'give ids, or a filter, or --all')
  }
  if (args.length === 0) return actByFilter(context, action)
  const otherOptions = Object.keys(filterOptions).filter((name) => name in values)
  if (otherOptions.length > 0) {
    throw usageFailure('ids cannot be combined with filters', 'give ids, or filters, or --all')
  }
  return changeEach(context, changeOne)
}

const bulkDescription =
  'With a filter, up to 1000 jobs are changed at once, all or none. More become an operation that workers run. The ' +
  'command shows its progress until it ends. The operation continues after Ctrl-C.'
const operationDescription =
  'The action becomes an operation that workers run. The command shows its progress until it ends. The operation ' +
  'continues after Ctrl-C.'

export const cancelJobs = defineCommand({
  name: 'cancel',
  summary: 'cancel jobs by id or by filter: waiting jobs immediately, running jobs at their next safe point',
  description: bulkDescription,
  arguments: [{ name: 'ID', count: 'any' }],
  options: filterOptions,
  examples: [
    { line: 'queue cancel ID', description: 'Cancel one job' },
    {
      line: 'queue cancel --queue mail --status queued --dry-run',
      description: 'Count the queued jobs of a queue',
    },
  ],
  run: (context) => actByIdOrFilter(context, cancelJob, bulkActions.cancel),
})

const requeueOptions = {
  ...filterOptions,
  'expires-at': timestamp('TIME', 'new expiry of a job given by its id; required if its expiry has passed'),
  'expires-in': duration('DURATION', 'new expiry, from now, such as 10m'),
} as const

export const requeueJobs = defineCommand({
  name: 'requeue',
  summary: 'requeue failed or cancelled jobs by id or by filter, with a fresh set of attempts',
  description: bulkDescription,
  arguments: [{ name: 'ID', count: 'any' }],
  options: requeueOptions,
  examples: [
    { line: 'queue requeue ID', description: 'Run one job again' },
    {
      line: 'queue requeue --kind send_email --finished-after 2026-01-15 --dry-run',
      description: 'Count the jobs of a kind that failed or were cancelled since a day',
    },
  ],
  run: (context) => {
    const { 'expires-at': at, 'expires-in': inMs, ...values } = context.values
    const expiry = {
      ...(at !== undefined && { expires_at: at }),
      ...(inMs !== undefined && { expires_in_ms: inMs }),
    }
    if (context.args.length === 0 && Object.keys(expiry).length > 0) {
      throw usageFailure('--expires-at and --expires-in need ids', 'give ids, or leave out the expiry')
    }
    const requeueOne: ChangeOne = (backend, id) => requeueJob(backend, { id, expiry })
    return actByIdOrFilter({ ...context, values }, requeueOne, bulkActions.requeue)
  },
})

export const deleteJobs = defineCommand({
  name: 'delete',
  summary: 'delete jobs that are not running, with their attempts and dead letters',
  description: operationDescription,
  arguments: [],
  options: filterOptions,
  examples: [
    {
      line: 'queue delete --status succeeded --finished-before 2026-01-01 --dry-run',
      description: 'Count the jobs that succeeded before a day',
    },
  ],
  run: (context) => actByFilter(context, bulkActions.delete),
})

export const eraseJobs = defineCommand({
  name: 'erase',
  summary: 'delete jobs that are not running, and remove their ids from the audit log',
  description: operationDescription,
  arguments: [],
  options: filterOptions,
  examples: [{ line: 'queue erase --tenant acme --detach', description: 'Erase all jobs of a tenant' }],
  run: (context) => actByFilter(context, bulkActions.erase),
})

const rescheduleOptions = {
  ...filterOptions,
  'run-at': timestamp('TIME', 'new earliest start of all jobs; a time in the past counts as now'),
} as const

const reschedule = backendCall<ActOnJobs & { readonly run_at: string }, Promise<ActResult>>({
  api: (client, request) => client.rescheduleJobs(request),
  database: async (queue, { filter, dry_run: isDry, all, rate, run_at: runAt }) => {
    const decoded = toFilter(filter) as JobFilter
    if (isDry)
      return toDryRunResult(await queue.operations.dryRun('reschedule', decoded, { runAt: new Date(runAt) }))
    return toActResult(await queue.many.reschedule(decoded, { all, rate, runAt: new Date(runAt) }))
  },
})

export const rescheduleJobs = defineCommand({
  name: 'reschedule',
  summary: 'change the earliest start of waiting jobs',
  description: bulkDescription,
  arguments: [],
  options: rescheduleOptions,
  examples: [
    {
      line: 'queue reschedule --queue mail --run-at 2031-01-16T09:30:00Z',
      description: 'Delay all waiting jobs of a queue',
    },
  ],
  async run(context) {
    const { 'run-at': runAt } = context.values
    if (runAt === undefined) throw usageFailure('--run-at is missing', 'give the new start as --run-at TIME')
    const request = bulkRequest(context.values)
    const result = await reschedule(await context.connect(), { ...request, run_at: runAt })
    return printActResult(context, result, { pastTense: 'rescheduled' })
  },
})

const undo = backendCall<UndoReschedule, Promise<ActResult>>({
  api: (client, request) => client.undoReschedule(request),
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
  summary: 'undo a reschedule: restore the previous start of its jobs',
  description:
    'The file is the output of `queue reschedule --json`. A reschedule that became an operation cannot be undone. ' +
    'Jobs that were changed meanwhile are left as they are.',
  arguments: [{ name: 'FILE' }],
  options: {},
  examples: [
    {
      line: 'queue undo-reschedule moved.json',
      description: 'Undo `queue reschedule … --json > moved.json`',
    },
  ],
  async run(context) {
    const jobs = await readUndo(context, rescheduleUndo)
    const result = await undo(await context.connect(), { jobs })
    return printActResult({ ...context, values: {} }, result, { pastTense: 'restored' })
  },
})

const undoOfCancel = backendCall<UndoCancel, Promise<ActResult>>({
  api: (client, request) => client.undoCancel(request),
  database: async (queue, { jobs }) => {
    const cancelled = jobs.map(({ id, status, changed_at: changedAt }) => ({
      id,
      status,
      changedAt: new Date(changedAt),
    }))
    return toActResult(await queue.many.undoCancel(cancelled))
  },
})

export const undoCancel = defineCommand({
  name: 'undo-cancel',
  summary: 'undo a cancel: its jobs wait again as they did',
  description:
    'The file is the output of `queue cancel --json`. A cancel that became an operation cannot be undone. ' +
    'Jobs that ran or were changed meanwhile are left as they are.',
  arguments: [{ name: 'FILE' }],
  options: {},
  examples: [
    {
      line: 'queue undo-cancel cancelled.json',
      description: 'Undo `queue cancel --queue mail --json > cancelled.json`',
    },
  ],
  async run(context) {
    const jobs = await readUndo(context, cancelUndo)
    const result = await undoOfCancel(await context.connect(), { jobs })
    return printActResult({ ...context, values: {} }, result, { pastTense: 'restored' })
  },
})

const undoOfRequeue = backendCall<UndoRequeue, Promise<ActResult>>({
  api: (client, request) => client.undoRequeue(request),
  database: async (queue, { jobs }) => {
    const requeued = jobs.map(({ id, changed_at: changedAt }) => ({ id, changedAt: new Date(changedAt) }))
    return toActResult(await queue.many.undoRequeue(requeued))
  },
})

export const undoRequeue = defineCommand({
  name: 'undo-requeue',
  summary: 'undo a requeue: its jobs have failed or are cancelled again, with their dead letters',
  description:
    'The file is the output of `queue requeue --json` or `queue dead-letters requeue --json`. A requeue ' +
    'that became an operation cannot be undone. Jobs that started or were changed meanwhile are left as they are.',
  arguments: [{ name: 'FILE' }],
  options: {},
  examples: [
    {
      line: 'queue undo-requeue requeued.json',
      description: 'Undo `queue requeue --queue mail --json > requeued.json`',
    },
  ],
  async run(context) {
    const jobs = await readUndo(context, requeueUndo)
    const result = await undoOfRequeue(await context.connect(), { jobs })
    return printActResult({ ...context, values: {} }, result, { pastTense: 'restored' })
  },
})
