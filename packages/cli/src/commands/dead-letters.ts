import type {
  ActResult,
  DeadLetter,
  DeadLetterList,
  DeadLetterPageQuery,
  Job,
  RequeueDeadLetters,
} from '@queue/client'
import type { DeadLetterSelection } from '@queue/core'
import { defineCommand } from '../command.ts'
import { eitherWay } from '../doors/door.ts'
import { toFilter, toWire } from '../doors/wire.ts'
import { Failure, usageFailure } from '../failure.ts'
import { flag, instant, text, texts, type ValuesOf } from '../options.ts'
import type { Column } from '../output/table.ts'
import { manyOptions, showAct, toActResult, toCount } from './by-filter.ts'
import { changeEach } from './change-jobs.ts'
import { attemptColumns } from './get-job.ts'
import { filterOf, toSeconds } from './jobs.ts'
import { pageOptions, printList } from './list-page.ts'

/** Which dead letters: each filter of the API. */
export const deadLetterFilterOptions = {
  kind: text('KIND', 'those of this kind'),
  queue: text('QUEUE', 'those of this queue'),
  fingerprint: texts('FINGERPRINT', 'those whose last failure has this cause, as queue errors shows it'),
  tenant: text('TENANT', 'those of this tenant'),
  'dead-lettered-after': instant('INSTANT', 'those made at this instant or later'),
  'dead-lettered-before': instant('INSTANT', 'those made before this instant'),
} as const

type Filter = Omit<RequeueDeadLetters, 'dry_run' | 'rate'>

export function toDeadLetterFilter(values: ValuesOf<typeof deadLetterFilterOptions>): Filter {
  return filterOf(values, Object.keys(deadLetterFilterOptions))
}

export const deadLettersPage = eitherWay<DeadLetterPageQuery, Promise<DeadLetterList>>({
  api: (client, query) => client.deadLettersPage(query),
  database: async (queue, query) => {
    const { deadLetters, nextCursor } = await queue.deadLetters.list(toFilter(query))
    return { data: toWire(deadLetters), next_cursor: nextCursor }
  },
})

const readDeadLetter = eitherWay<string, Promise<DeadLetter>>({
  api: (client, id) => client.deadLetter(id),
  database: async (queue, id) => {
    const found = await queue.deadLetters.get(id)
    if (found !== undefined) return toWire(found)
    throw new Failure({ error: 'dead_letter_not_found', detail: 'there is no dead letter with this id' })
  },
})

const requeueOne = eitherWay<string, Promise<Job>>({
  api: (client, id) => client.requeueDeadLetter(id),
  database: async (queue, id) => toWire(await queue.deadLetters.requeue(id)),
})

const requeueFiltered = eitherWay<RequeueDeadLetters, Promise<ActResult>>({
  api: (client, given) => client.requeueDeadLetters(given),
  database: async (queue, { dry_run: isDry, rate, ...filter }) => {
    const selection = toFilter(filter) as DeadLetterSelection
    if (isDry) return toCount(await queue.operations.dryRunOfDeadLetters(selection))
    return toActResult(await queue.many.requeueDeadLetters(selection, { rate }))
  },
})

const removeOne = eitherWay<string, Promise<void>>({
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
  summary: 'list jobs that have failed for good, the latest first',
  arguments: [],
  options: {
    ...deadLetterFilterOptions,
    ...pageOptions,
  },
  examples: [
    { line: 'queue dead-letters list', says: 'What failed last' },
    {
      line: 'queue dead-letters list --queue mail --dead-lettered-after 2026-01-15',
      says: 'Of one queue, since a day',
    },
  ],
  async run(context) {
    const { values, door } = context
    const filter = toDeadLetterFilter(values)
    const way = await door()
    await printList(context, {
      fetchPage: (query) => deadLettersPage(way, { ...filter, ...query }),
      show: (items) => context.print.table(items, columns),
    })
  },
})

export const getDeadLetter = defineCommand({
  name: 'dead-letters get',
  summary: 'show a dead letter and its attempts',
  arguments: [{ name: 'DEAD_LETTER_ID' }],
  options: {},
  examples: [{ line: 'queue dead-letters get DEAD_LETTER_ID', says: 'Why a job has failed for good' }],
  async run({ words: [id = ''], door, print }) {
    const found = await readDeadLetter(await door(), id)
    if (print.isJson) return print.json(found)
    const { id: ownId, job_id, dead_lettered_at, execution_history: history, ...members } = found
    const documents = {
      payload: JSON.stringify(found.payload),
      metadata: found.metadata && JSON.stringify(found.metadata),
    }
    await print.detail({ id: ownId, job_id, dead_lettered_at, ...members, ...documents })
    await print.raw('\n')
    await print.table(history, attemptColumns)
  },
})

const requeueOptions = {
  ...deadLetterFilterOptions,
  all: flag('every dead letter; needed where neither ids nor filters are given'),
  ...manyOptions,
} as const

export const requeueDeadLetters = defineCommand({
  name: 'dead-letters requeue',
  summary: 'give jobs that have failed for good a new life, by id or by filter',
  description:
    'By filter, up to a thousand are requeued at once, all or none. More become an operation, which workers carry out: it is shown until it ends, and goes on after Ctrl-C.',
  arguments: [{ name: 'DEAD_LETTER_ID', count: 'any' }],
  options: requeueOptions,
  examples: [
    { line: 'queue dead-letters requeue DEAD_LETTER_ID', says: 'One of them' },
    { line: 'queue dead-letters requeue --kind send_email --dry-run', says: 'How many e-mails there are' },
    { line: 'queue dead-letters requeue --kind send_email', says: 'All e-mails' },
  ],
  async run(context) {
    const { values, words } = context
    const filter = toDeadLetterFilter(values)
    const isFiltered = Object.keys(filter).length > 0
    if (words.length > 0 && (isFiltered || values.all || values['dry-run'])) {
      throw usageFailure('ids go alone', 'give ids, or filters, or --all')
    }
    if (words.length > 0) return changeEach(context, requeueOne)
    if (!isFiltered && !values.all)
      throw usageFailure('this would requeue every dead letter', 'give a filter, an id, or --all')
    const { rate, 'dry-run': isDry } = values
    const how = { ...(isDry && { dry_run: true }), ...(rate !== undefined && { rate }) }
    const result = await requeueFiltered(await context.door(), { ...filter, ...how })
    return showAct(context, result, { done: 'requeued' })
  },
})

export const deleteDeadLetters = defineCommand({
  name: 'dead-letters delete',
  summary: 'remove dead letters; their jobs stay failed',
  arguments: [{ name: 'DEAD_LETTER_ID', count: 'many' }],
  options: {},
  examples: [{ line: 'queue dead-letters delete DEAD_LETTER_ID', says: 'Remove one' }],
  async run({ words, door, print, signal }) {
    const way = await door()
    for (const id of words) {
      signal.throwIfAborted()
      await removeOne(way, id)
      await (print.isJson ? print.json({ deleted: id }) : print.raw(`${id} is deleted\n`))
    }
  },
})
