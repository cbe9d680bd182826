import type {
  ActResult,
  ManyOptions,
  Queue,
  QueueKey,
  QueueKeyList,
  QueueList,
  QueuePageQuery,
  QueueState,
} from '@queue/client'
import type { QueueStats } from '@queue/core'
import { type Context, defineCommand } from '../command.ts'
import { type Door, eitherWay } from '../doors/door.ts'
import { collectPages } from '../doors/paging.ts'
import { toFilter, toWire } from '../doors/wire.ts'
import { Failure } from '../failure.ts'
import { whole } from '../options.ts'
import type { Column } from '../output/table.ts'
import { manyOptions, showAct, toActResult, toCount } from './by-filter.ts'
import { toSeconds } from './jobs.ts'

const queuesPage = eitherWay<QueuePageQuery, Promise<QueueList>>({
  api: (client, query) => client.queuesPage(query),
  database: async (queue, query) => {
    const { queues, nextCursor } = await queue.listQueues(toFilter(query))
    return { data: queues.map(toQueue), next_cursor: nextCursor }
  },
})

function toQueue({ queued, retrying, running, name, pausedAt, ...rest }: QueueStats): Queue {
  const { ready, newlyReady, oldestReadySeconds, workers } = rest
  const shown = toWire({ name, pausedAt, ready, newlyReady, oldestReadySeconds, workers })
  return { ...shown, depth: { queued, retrying, running } }
}

const pauseOne = eitherWay<string, Promise<QueueState>>({
  api: (client, name) => client.pause(name),
  database: async (queue, name) => toWire(await queue.pause(name)),
})

const resumeOne = eitherWay<string, Promise<QueueState>>({
  api: (client, name) => client.resume(name),
  database: async (queue, name) => toWire(await queue.resume(name)),
})

const columns: readonly Column<Queue>[] = [
  { title: 'name', of: ({ name }) => name },
  { title: 'state', of: stateOf },
  { title: 'queued', of: ({ depth }) => depth.queued, align: 'right' },
  { title: 'retrying', of: ({ depth }) => depth.retrying, align: 'right' },
  { title: 'running', of: ({ depth }) => depth.running, align: 'right' },
  { title: 'ready', of: ({ ready }) => ready, align: 'right' },
  { title: 'oldest ready s', of: oldestOf, align: 'right' },
  { title: 'workers', of: ({ workers }) => workers, align: 'right' },
]

function stateOf({ paused_at: at }: QueueState): string {
  return at === null ? 'open' : 'paused'
}

function oldestOf({ oldest_ready_seconds: seconds }: Pick<Queue, 'oldest_ready_seconds'>): string | null {
  return seconds === null ? null : seconds.toFixed(1)
}

async function allQueues(way: Door, signal: AbortSignal): Promise<Queue[]> {
  const { data } = await collectPages((query) => queuesPage(way, query), { limit: Infinity, signal })
  return data
}

export const listQueues = defineCommand({
  name: 'queues list',
  summary: 'list the queues with what waits and runs in them',
  arguments: [],
  options: {},
  examples: [{ line: 'queue queues list', says: 'Every queue, its depth, and its live workers' }],
  async run({ door, print, signal }) {
    const data = await allQueues(await door(), signal)
    await (print.isJson ? print.json({ data }) : print.table(data, columns))
  },
})

export const queueStats = defineCommand({
  name: 'queues stats',
  summary: 'show what waits and runs in one queue',
  arguments: [{ name: 'QUEUE' }],
  options: {},
  examples: [
    { line: 'queue queues stats mail', says: 'Its depth, its oldest job that is due, its live workers' },
  ],
  async run({ words: [name = ''], door, print, signal }) {
    const found = (await allQueues(await door(), signal)).find((one) => one.name === name)
    if (found === undefined) {
      const detail = `there is no queue ${JSON.stringify(name)}: no worker has served it, and no job waits in it`
      throw new Failure({ error: 'queue_not_found', detail })
    }
    if (print.isJson) return print.json(found)
    const { depth, paused_at, workers } = found
    await print.detail({ name, paused_at, ...depth, oldest_ready_seconds: oldestOf(found), workers })
  },
})

interface KeysOf {
  readonly name: string
  readonly limit?: number | undefined
}

const keysOf = eitherWay<KeysOf, Promise<QueueKeyList>>({
  api: (client, { name, limit }) => client.queueKeys(name, limit === undefined ? {} : { limit }),
  database: async (queue, { name, limit }) => {
    const { keys, isComplete } = await queue.queueKeys(name, { limit })
    return { data: keys.map((one): QueueKey => toWire(one)), is_complete: isComplete }
  },
})

const keyColumns: readonly Column<QueueKey>[] = [
  { title: 'key', of: ({ key }) => key ?? '***', shrinks: true },
  { title: 'tenant', of: ({ tenant_id: tenant }) => tenant },
  { title: 'state', of: ({ state }) => state },
  { title: 'waiting', of: waitingOf, align: 'right' },
  { title: 'running', of: ({ running }) => running, align: 'right' },
  { title: 'at most', of: ({ max_running: most }) => most, align: 'right' },
  { title: 'oldest ready s', of: oldestOf, align: 'right' },
]

/** As `88`, `about 812000`, or `1000 or more`. */
function waitingOf({ waiting, waiting_is_least: isLeast, waiting_estimate: estimate }: QueueKey): string {
  if (!isLeast) return String(waiting)
  return estimate === null ? `${waiting} or more` : `about ${Math.max(waiting, estimate)}`
}

const keysMax = 50

export const listQueueKeys = defineCommand({
  name: 'queues keys',
  summary: 'list the keys of a queue with the most waiting jobs, and what limits each',
  arguments: [{ name: 'QUEUE' }],
  options: { limit: whole('N', { min: 1, max: keysMax }, 'so many keys; default 20') },
  examples: [{ line: 'queue queues keys mail', says: 'Who has the most jobs that wait' }],
  async run({ words: [name = ''], values, door, print }) {
    const page = await keysOf(await door(), { name, ...values })
    await (print.isJson ? print.json(page) : print.table(page.data, keyColumns))
  },
})

export const pauseQueue = defineCommand({
  name: 'queues pause',
  summary: 'let no worker start a job of these queues; running jobs go on',
  arguments: [{ name: 'QUEUE', count: 'many' }],
  options: {},
  examples: [{ line: 'queue queues pause mail', says: 'No job of mail is started after this' }],
  run: (context) => changeQueues(context, pauseOne),
})

export const resumeQueue = defineCommand({
  name: 'queues resume',
  summary: 'let paused queues go on',
  arguments: [{ name: 'QUEUE', count: 'many' }],
  options: {},
  examples: [{ line: 'queue queues resume mail', says: 'Workers start its jobs again' }],
  run: (context) => changeQueues(context, resumeOne),
})

interface Purge extends ManyOptions {
  readonly name: string
}

const purge = eitherWay<Purge, Promise<ActResult>>({
  api: (client, { name, ...how }) => client.purge(name, how),
  database: async (queue, { name, dry_run: isDry, rate }) =>
    isDry
      ? toCount(await queue.operations.dryRun('purge', { queue: name }))
      : toActResult(await queue.many.purge(name, { rate })),
})

export const purgeQueue = defineCommand({
  name: 'queues purge',
  summary: 'remove what waits in a queue now',
  description: 'Workers carry it out: it is shown until it ends, and goes on after Ctrl-C.',
  arguments: [{ name: 'QUEUE' }],
  options: manyOptions,
  examples: [{ line: 'queue queues purge mail --dry-run', says: 'How many jobs wait' }],
  async run(context) {
    const { words, values, door } = context
    const { rate, 'dry-run': isDry } = values
    const how = { ...(isDry && { dry_run: true }), ...(rate !== undefined && { rate }) }
    const result = await purge(await door(), { name: words[0] ?? '', ...how })
    return showAct(context, result, { done: 'removed' })
  },
})

async function changeQueues(
  { words, door, print, signal }: Context<unknown>,
  change: (way: Door, name: string) => Promise<QueueState>,
): Promise<void> {
  const way = await door()
  for (const name of words) {
    signal.throwIfAborted()
    const state = await change(way, name)
    const since = state.paused_at === null ? '' : ` since ${toSeconds(state.paused_at)}`
    await (print.isJson ? print.json(state) : print.raw(`${state.name} is ${stateOf(state)}${since}\n`))
  }
}
