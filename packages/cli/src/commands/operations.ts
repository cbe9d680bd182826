import type { Operation, OperationList, OperationPageQuery } from '@queue/client'
import { defineCommand } from '../command.ts'
import { eitherWay } from '../doors/door.ts'
import { collectPages } from '../doors/paging.ts'
import { toFilter, toWire } from '../doors/wire.ts'
import { choice, text, whole } from '../options.ts'
import type { Column } from '../output/table.ts'
import { followOperation, readOperation } from './by-filter.ts'
import { filterOf, toSeconds } from './jobs.ts'

const operationsPage = eitherWay<OperationPageQuery, Promise<OperationList>>({
  api: (client, query) => client.operationsPage(query),
  database: async (queue, query) => {
    const { operations, nextCursor } = await queue.operations.list(toFilter(query))
    return { data: toWire(operations), next_cursor: nextCursor }
  },
})

const cancelOne = eitherWay<string, Promise<Operation>>({
  api: (client, id) => client.cancelOperation(id),
  database: async (queue, id) => toWire(await queue.many.cancelOperation(id)),
})

const columns: readonly Column<Operation>[] = [
  { title: 'id', of: ({ id }) => id },
  { title: 'act', of: ({ act }) => act },
  { title: 'state', of: ({ state }) => state },
  { title: 'changed', of: ({ changed }) => changed, align: 'right' },
  { title: 'skipped', of: ({ skipped }) => skipped, align: 'right' },
  { title: 'expected', of: (one) => `${one.expected}${one.expected_is_least ? '+' : ''}`, align: 'right' },
  { title: 'created', of: ({ created_at: at }) => toSeconds(at) },
  { title: 'filter', of: ({ filter }) => JSON.stringify(filter), shrinks: true },
]

const states = ['running', 'succeeded', 'cancelled', 'refused', 'failed'] as const
const listedDefault = 50
const listedMax = 10_000

export const listOperations = defineCommand({
  name: 'operations list',
  summary: 'list acts on many jobs, the newest first',
  arguments: [],
  options: {
    state: choice('STATE', states, 'operations in this state'),
    limit: whole('N', { min: 1, max: listedMax }, `how many at most; default: ${listedDefault}`),
    cursor: text('CURSOR', 'go on where an earlier list ended, with the same filters'),
  },
  examples: [{ line: 'queue operations list --state running', says: 'What workers carry out now' }],
  async run({ values, door, print, signal }) {
    const way = await door()
    const filter = filterOf(values, ['state'])
    const page = await collectPages((query) => operationsPage(way, { ...filter, ...query }), {
      limit: values.limit ?? listedDefault,
      cursor: values.cursor,
      signal,
    })
    if (print.isJson) return print.json(page)
    await print.table(page.data, columns)
    if (page.next_cursor !== null) print.note(`there are more: --cursor ${page.next_cursor}`)
  },
})

export const getOperation = defineCommand({
  name: 'operations get',
  summary: 'show an operation',
  arguments: [{ name: 'OPERATION_ID' }],
  options: {},
  examples: [{ line: 'queue operations get OPERATION_ID', says: 'How far it has come' }],
  async run({ words: [id = ''], door, print }) {
    const operation = await readOperation(await door(), id)
    if (print.isJson) return print.json(operation)
    await print.detail({ ...operation, filter: JSON.stringify(operation.filter) })
  },
})

export const followOperations = defineCommand({
  name: 'operations follow',
  summary: 'show how far an operation comes, until it ends',
  arguments: [{ name: 'OPERATION_ID' }],
  options: {},
  examples: [{ line: 'queue operations follow ENDED_OPERATION_ID', says: 'Until it ends' }],
  async run(context) {
    const { words, door } = context
    const operation = await readOperation(await door(), words[0] ?? '')
    return followOperation(context, operation, { done: 'changed' })
  },
})

export const cancelOperations = defineCommand({
  name: 'operations cancel',
  summary: 'end operations: they change no further job',
  arguments: [{ name: 'OPERATION_ID', count: 'many' }],
  options: {},
  examples: [{ line: 'queue operations cancel OPERATION_ID', says: 'Stop it where it is' }],
  async run({ words, door, print, signal }) {
    const way = await door()
    const ended: Operation[] = []
    for (const id of words) {
      signal.throwIfAborted()
      ended.push(await cancelOne(way, id))
    }
    await (print.isJson ? print.json({ data: ended }) : print.table(ended, columns))
  },
})
