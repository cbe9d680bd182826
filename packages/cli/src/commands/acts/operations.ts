import type { Operation, OperationList, OperationPageQuery } from '@queue/client'
import { choice, type Column, text, whole } from '@queue/commands'
import { defineCommand } from '../../command.ts'
import { backendCall } from '../../backends/backend.ts'
import { collectPages } from '../../backends/paging.ts'
import { toFilter, toWire } from '../../backends/wire.ts'
import { eachArgument } from '../each-argument.ts'
import { followOperation, readOperation } from './bulk-action.ts'
import { filterOf, toSeconds } from '../reads/jobs.ts'

const operationsPage = backendCall<OperationPageQuery, Promise<OperationList>>({
  api: (client, query) => client.operationsPage(query),
  database: async (queue, query) => {
    const { operations, nextCursor } = await queue.operations.list(toFilter(query))
    return { data: toWire(operations), next_cursor: nextCursor }
  },
})

const cancelOne = backendCall<string, Promise<Operation>>({
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
  summary: 'list operations (bulk actions that workers run), newest first',
  arguments: [],
  options: {
    state: choice('STATE', states, 'operations in this state'),
    limit: whole('N', { min: 1, max: listedMax }, `maximum number of items; default: ${listedDefault}`),
    cursor: text('CURSOR', 'continue an earlier list, with the same filters'),
  },
  examples: [{ line: 'queue operations list --state running', description: 'The running operations' }],
  async run({ values, connect, print, signal }) {
    const backend = await connect()
    const filter = filterOf(values, ['state'])
    const page = await collectPages((query) => operationsPage(backend, { ...filter, ...query }), {
      limit: values.limit ?? listedDefault,
      cursor: values.cursor,
      signal,
    })
    if (print.isJson) return print.json(page)
    await print.table(page.data, columns)
    if (page.next_cursor !== null) print.note(`there are more: continue with --cursor ${page.next_cursor}`)
  },
})

export const getOperation = defineCommand({
  name: 'operations get',
  summary: 'show an operation',
  arguments: [{ name: 'OPERATION_ID' }],
  options: {},
  examples: [{ line: 'queue operations get OPERATION_ID', description: 'The progress of an operation' }],
  async run({ args: [id = ''], connect, print }) {
    const operation = await readOperation(await connect(), id)
    if (print.isJson) return print.json(operation)
    await print.detail({ ...operation, filter: JSON.stringify(operation.filter) })
  },
})

export const followOperations = defineCommand({
  name: 'operations follow',
  summary: 'show the progress of an operation until it ends',
  arguments: [{ name: 'OPERATION_ID' }],
  options: {},
  examples: [{ line: 'queue operations follow ENDED_OPERATION_ID', description: 'Follow an operation' }],
  async run(context) {
    const { args, connect } = context
    const operation = await readOperation(await connect(), args[0] ?? '')
    return followOperation(context, operation, { pastTense: 'changed' })
  },
})

export const cancelOperations = defineCommand({
  name: 'operations cancel',
  summary: 'cancel operations: they change no more jobs',
  arguments: [{ name: 'OPERATION_ID', count: 'many' }],
  options: {},
  examples: [{ line: 'queue operations cancel OPERATION_ID', description: 'Stop an operation' }],
  async run(context) {
    const { print } = context
    const cancelled: Operation[] = []
    const code = await eachArgument(context, async (backend, id) => {
      cancelled.push(await cancelOne(backend, id))
    })
    await (print.isJson ? print.json({ data: cancelled }) : print.table(cancelled, columns))
    return code
  },
})
