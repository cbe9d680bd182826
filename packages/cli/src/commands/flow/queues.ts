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
import { type Column, type ExitCode, whole } from '@queue/commands'
import type { QueueStats } from '@queue/core'
import { type Context, defineCommand } from '../../command.ts'
import { type Backend, backendCall } from '../../backends/backend.ts'
import { collectPages } from '../../backends/paging.ts'
import { toFilter, toWire } from '../../backends/wire.ts'
import { failureOf } from '../../failure.ts'
import { eachArgument } from '../each-argument.ts'
import { bulkOptions, printActResult, toActResult, toDryRunResult } from '../acts/bulk-action.ts'
import { toSeconds } from '../reads/jobs.ts'

const queuesPage = backendCall<QueuePageQuery, Promise<QueueList>>({
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

const pauseOne = backendCall<string, Promise<QueueState>>({
  api: (client, name) => client.pause(name),
  database: async (queue, name) => toWire(await queue.pause(name)),
})

const resumeOne = backendCall<string, Promise<QueueState>>({
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
  { title: 'oldest due (s)', of: oldestOf, align: 'right' },
  { title: 'workers', of: ({ workers }) => workers, align: 'right' },
]

function stateOf({ paused_at: at }: QueueState): string {
  return at === null ? 'open' : 'paused'
}

function oldestOf({ oldest_ready_seconds: seconds }: Pick<Queue, 'oldest_ready_seconds'>): string | null {
  return seconds === null ? null : seconds.toFixed(1)
}

async function allQueues(backend: Backend, signal: AbortSignal): Promise<Queue[]> {
  const { data } = await collectPages((query) => queuesPage(backend, query), { limit: Infinity, signal })
  return data
}

export const listQueues = defineCommand({
  name: 'queues list',
  summary: 'list queues with their waiting and running jobs',
  arguments: [],
  options: {},
  examples: [{ line: 'queue queues list', description: 'All queues, their jobs and their live workers' }],
  async run({ connect, print, signal }) {
    const data = await allQueues(await connect(), signal)
    await (print.isJson ? print.json({ data }) : print.table(data, columns))
  },
})

export const queueStats = defineCommand({
  name: 'queues stats',
  summary: 'show the waiting and running jobs of a queue',
  arguments: [{ name: 'QUEUE' }],
  options: {},
  examples: [
    {
      line: 'queue queues stats mail',
      description: 'The jobs of a queue, the age of its oldest due job, its live workers',
    },
  ],
  async run({ args: [name = ''], connect, print, signal }) {
    const queue = (await allQueues(await connect(), signal)).find((one) => one.name === name)
    if (queue === undefined) {
      const detail = `there is no queue ${JSON.stringify(name)}: no worker has served it, and it has no jobs`
      throw failureOf({ error: 'queue_not_found', detail })
    }
    if (print.isJson) return print.json(queue)
    const { depth, paused_at, workers } = queue
    await print.detail({ name, paused_at, ...depth, oldest_ready_seconds: oldestOf(queue), workers })
  },
})

interface KeysOf {
  readonly name: string
  readonly limit?: number | undefined
}

const keysOf = backendCall<KeysOf, Promise<QueueKeyList>>({
  api: (client, { name, limit }) => client.queueKeys(name, limit === undefined ? {} : { limit }),
  database: async (queue, { name, limit }) => {
    const { keys, isComplete } = await queue.queueKeys(name, { limit })
    return { data: keys.map((one): QueueKey => toWire(one)), is_complete: isComplete }
  },
})

const keyColumns: readonly Column<QueueKey>[] = [
  { title: 'key', of: ({ key }) => key, shrinks: true },
  { title: 'tenant', of: ({ tenant_id: tenant }) => tenant },
  { title: 'state', of: ({ state }) => state },
  { title: 'waiting', of: waitingOf, align: 'right' },
  { title: 'running', of: ({ running }) => running, align: 'right' },
  { title: 'max running', of: ({ max_running: most }) => most, align: 'right' },
  { title: 'oldest due (s)', of: oldestOf, align: 'right' },
]

/** Such as `88`, `about 812000`, or `1000 or more`. */
function waitingOf({ waiting, waiting_is_least: isLeast, waiting_estimate: estimate }: QueueKey): string {
  if (!isLeast) return String(waiting)
  return estimate === null ? `${waiting} or more` : `about ${Math.max(waiting, estimate)}`
}

const keysMax = 50

export const listQueueKeys = defineCommand({
  name: 'queues keys',
  summary: 'list the keys of a queue with the most waiting jobs, and their limits',
  arguments: [{ name: 'QUEUE' }],
  options: { limit: whole('N', { min: 1, max: keysMax }, 'maximum number of keys; default: 20') },
  examples: [{ line: 'queue queues keys mail', description: 'The keys with the most waiting jobs' }],
  async run({ args: [name = ''], values, connect, print }) {
    const page = await keysOf(await connect(), { name, ...values })
    await (print.isJson ? print.json(page) : print.table(page.data, keyColumns))
  },
})

export const pauseQueue = defineCommand({
  name: 'queues pause',
  summary: 'pause queues: workers start no more jobs of them, and running jobs continue',
  arguments: [{ name: 'QUEUE', count: 'many' }],
  options: {},
  examples: [{ line: 'queue queues pause mail', description: 'Pause a queue' }],
  run: (context) => changeQueues(context, pauseOne),
})

export const resumeQueue = defineCommand({
  name: 'queues resume',
  summary: 'resume paused queues',
  arguments: [{ name: 'QUEUE', count: 'many' }],
  options: {},
  examples: [{ line: 'queue queues resume mail', description: 'Resume a queue' }],
  run: (context) => changeQueues(context, resumeOne),
})

interface Purge extends ManyOptions {
  readonly name: string
}

const purge = backendCall<Purge, Promise<ActResult>>({
  api: (client, { name, ...how }) => client.purge(name, how),
  database: async (queue, { name, dry_run: isDry, rate }) =>
    isDry
      ? toDryRunResult(await queue.operations.dryRun('purge', { queue: name }))
      : toActResult(await queue.many.purge(name, { rate })),
})

export const purgeQueue = defineCommand({
  name: 'queues purge',
  summary: 'delete the waiting jobs of a queue',
  description:
    'The purge becomes an operation that workers run. The command shows its progress until it ends. The operation ' +
    'continues after Ctrl-C.',
  arguments: [{ name: 'QUEUE' }],
  options: bulkOptions,
  examples: [{ line: 'queue queues purge mail --dry-run', description: 'Count the waiting jobs of a queue' }],
  async run(context) {
    const { args, values, connect } = context
    const { rate, 'dry-run': isDry } = values
    const how = { ...(isDry && { dry_run: true }), ...(rate !== undefined && { rate }) }
    const result = await purge(await connect(), { name: args[0] ?? '', ...how })
    return printActResult(context, result, { pastTense: 'deleted' })
  },
})

function changeQueues(
  context: Context<unknown>,
  change: (backend: Backend, name: string) => Promise<QueueState>,
): Promise<ExitCode | void> {
  const { print } = context
  return eachArgument(context, async (backend, name) => {
    const state = await change(backend, name)
    const since = state.paused_at === null ? '' : ` since ${toSeconds(state.paused_at)}`
    await (print.isJson ? print.json(state) : print.raw(`${state.name} is ${stateOf(state)}${since}\n`))
  })
}
