import type {
  ActResult,
  DeadLetter,
  DeadLetterList,
  DeadLetterPageQuery,
  Job,
  RequeueDeadLetters,
} from '@queue/client'
import { type Column, flag, text, texts, timestamp, usageFailure, type ValuesOf } from '@queue/commands'
import type { DeadLetterSelection } from '@queue/core'
import { defineCommand } from '../../command.ts'
import { backendCall } from '../../backends/backend.ts'
import { toFilter, toWire } from '../../backends/wire.ts'
import { failureOf } from '../../failure.ts'
import { eachArgument } from '../each-argument.ts'
import { bulkOptions, byFilterOptionsOf, printActResult, toActResult, toDryRunResult } from './bulk-action.ts'
import { changeEach } from './change-jobs.ts'
import { attemptColumns } from '../reads/get-job.ts'
import { filterOf, toSeconds } from '../reads/jobs.ts'
import { pageOptions, printList } from '../list-page.ts'

/** The filters of dead letters, as in the API. */
export const deadLetterFilterOptions = {
  kind: text('KIND', 'dead letters of this kind'),
  queue: text('QUEUE', 'dead letters of this queue'),
  fingerprint: texts(
    'FINGERPRINT',
    'dead letters whose last failure has this fingerprint; queue errors lists them',
  ),
  tenant: text('TENANT', 'dead letters of this tenant'),
  'dead-lettered-after': timestamp('TIME', 'dead letters created at or after this time'),
  'dead-lettered-before': timestamp('TIME', 'dead letters created before this time'),
} as const

type Filter = Omit<RequeueDeadLetters, 'dry_run' | 'rate'>

export function toDeadLetterFilter(values: ValuesOf<typeof deadLetterFilterOptions>): Filter {
  return filterOf(values, Object.keys(deadLetterFilterOptions))
}

export const deadLettersPage = backendCall<DeadLetterPageQuery, Promise<DeadLetterList>>({
  api: (client, query) => client.deadLettersPage(query),
  database: async (queue, query) => {
    const { deadLetters, nextCursor } = await queue.deadLetters.list(toFilter(query))
    return { data: toWire(deadLetters), next_cursor: nextCursor }
  },
})

const readDeadLetter = backendCall<string, Promise<DeadLetter>>({
  api: (client, id) => client.deadLetter(id),
  database: async (queue, id) => {
    const deadLetter = await queue.deadLetters.get(id)
    if (deadLetter !== undefined) return toWire(deadLetter)
    throw failureOf({
      error: 'dead_letter_not_found',
      detail:
        'there is no dead letter with this id: it may have been requeued, deleted or removed by retention',
    })
  },
})

const requeueOne = backendCall<string, Promise<Job>>({
  api: (client, id) => client.requeueDeadLetter(id),
  database: async (queue, id) => toWire(await queue.deadLetters.requeue(id)),
})

const requeueByFilter = backendCall<RequeueDeadLetters, Promise<ActResult>>({
  api: (client, request) => client.requeueDeadLetters(request),
  database: async (queue, { dry_run: isDry, all, rate, ...filter }) => {
    const selection = toFilter(filter) as DeadLetterSelection
    if (isDry) return toDryRunResult(await queue.operations.dryRunOfDeadLetters(selection))
    return toActResult(await queue.many.requeueDeadLetters(selection, { all, rate }))
  },
})

const removeOne = backendCall<string, Promise<void>>({
  api: (client, id) => client.deleteDeadLetter(id),
  database: (queue, id) => queue.deadLetters.delete(id),
})

const columns: readonly Column<DeadLetter>[] = [
  { title: 'id', of: (one) => one.id },
  { title: 'job', of: (one) => one.job_id },
  { title: 'kind', of: (one) => one.kind, shrinks: true },
  { title: 'queue', of: (one) => one.queue, shrinks: true },
  { title: 'attempts', of: (one) => one.attempts, align: 'right' },
  { title: 'dead-lettered', of: (one) => toSeconds(one.dead_lettered_at) },
  { title: 'last error', of: (one) => one.last_error, shrinks: true },
]

export const listDeadLetters = defineCommand({
  name: 'dead-letters list',
  summary: 'list dead letters, newest first',
  arguments: [],
  options: {
    ...deadLetterFilterOptions,
    ...pageOptions,
  },
  examples: [
    { line: 'queue dead-letters list', description: 'The latest dead letters' },
    {
      line: 'queue dead-letters list --queue mail --dead-lettered-after 2026-01-15',
      description: 'The dead letters of one queue since a day',
    },
  ],
  async run(context) {
    const { values, connect } = context
    const filter = toDeadLetterFilter(values)
    const backend = await connect()
    await printList(context, {
      fetchPage: (query) => deadLettersPage(backend, { ...filter, ...query }),
      show: (items) => context.print.table(items, columns),
    })
  },
})

export const getDeadLetter = defineCommand({
  name: 'dead-letters get',
  summary: 'show a dead letter with its attempts',
  arguments: [{ name: 'DEAD_LETTER_ID' }],
  options: {},
  examples: [{ line: 'queue dead-letters get DEAD_LETTER_ID', description: 'Why a job failed permanently' }],
  async run({ args: [id = ''], connect, print }) {
    const deadLetter = await readDeadLetter(await connect(), id)
    if (print.isJson) return print.json(deadLetter)
    const { id: ownId, job_id, dead_lettered_at, execution_history: history, ...members } = deadLetter
    const documents = {
      payload: JSON.stringify(deadLetter.payload),
      sensitive: deadLetter.sensitive && JSON.stringify(deadLetter.sensitive),
      metadata: deadLetter.metadata && JSON.stringify(deadLetter.metadata),
    }
    await print.detail({ id: ownId, job_id, dead_lettered_at, ...members, ...documents })
    await print.raw('\n')
    await print.table(history, attemptColumns)
  },
})

const requeueOptions = {
  ...deadLetterFilterOptions,
  all: flag('select every dead letter; required without ids and filters'),
  ...bulkOptions,
} as const

export const requeueDeadLetters = defineCommand({
  name: 'dead-letters requeue',
  summary: 'requeue dead letters by id or by filter',
  description:
    'With a filter, up to 1000 dead letters are requeued at once, all or none. More become an operation that workers ' +
    'run. The command shows its progress until it ends. The operation continues after Ctrl-C.',
  arguments: [{ name: 'DEAD_LETTER_ID', count: 'any' }],
  options: requeueOptions,
  examples: [
    { line: 'queue dead-letters requeue DEAD_LETTER_ID', description: 'Requeue one dead letter' },
    {
      line: 'queue dead-letters requeue --kind send_email --dry-run',
      description: 'Count the dead letters of a kind',
    },
    {
      line: 'queue dead-letters requeue --kind send_email',
      description: 'Requeue all dead letters of a kind',
    },
  ],
  async run(context) {
    const { values, args } = context
    const filter = toDeadLetterFilter(values)
    const isFiltered = Object.keys(filter).length > 0
    if (args.length > 0 && (isFiltered || values.all || values['dry-run'])) {
      throw usageFailure('ids cannot be combined with filters', 'give ids, or filters, or --all')
    }
    if (args.length > 0) return changeEach(context, requeueOne)
    if (!isFiltered && !values.all)
      throw usageFailure('this would requeue every dead letter', 'give a filter, an id, or --all')
    const request = { ...filter, ...byFilterOptionsOf(values) }
    const result = await requeueByFilter(await context.connect(), request)
    return printActResult(context, result, { pastTense: 'requeued' })
  },
})

export const deleteDeadLetters = defineCommand({
  name: 'dead-letters delete',
  summary: 'delete dead letters; their jobs are kept as failed',
  arguments: [{ name: 'DEAD_LETTER_ID', count: 'many' }],
  options: {},
  examples: [{ line: 'queue dead-letters delete DEAD_LETTER_ID', description: 'Delete one dead letter' }],
  run: (context) =>
    eachArgument(context, async (backend, id) => {
      const { print } = context
      await removeOne(backend, id)
      await (print.isJson ? print.json({ deleted: id }) : print.raw(`${id} is deleted\n`))
    }),
})
