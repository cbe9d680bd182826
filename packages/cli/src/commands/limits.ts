import type { Limit, LimitInUse, LimitList, LimitPageQuery, LimitTarget, SetLimit } from '@queue/client'
import type { LimitRule } from '@queue/core'
import { defineCommand } from '../command.ts'
import { backendCall } from '../backends/backend.ts'
import { collectPages } from '../backends/paging.ts'
import { toFilter, toWire } from '../backends/wire.ts'
import { usageFailure } from '../failure.ts'
import { choice, duration, flag, text, type ValuesOf, whole } from '../options.ts'
import type { Column } from '../output/table.ts'
import { toSeconds } from './jobs.ts'

const limitsPage = backendCall<LimitPageQuery, Promise<LimitList>>({
  api: (client, query) => client.limitsPage(query),
  database: async (queue, query) => {
    const { limits, nextCursor } = await queue.limits.list(toFilter(query))
    return { data: limits.map((limit) => toWire(limit)), next_cursor: nextCursor }
  },
})

const setOne = backendCall<SetLimit, Promise<Limit>>({
  api: (client, limit) => client.setLimit(limit),
  database: async (queue, limit) => toWire(await queue.limits.set(toFilter(limit) as unknown as LimitRule)),
})

const deleteOne = backendCall<LimitTarget, Promise<void>>({
  api: (client, target) => client.deleteLimit(target),
  database: (queue, target) => queue.limits.delete(target),
})

const columns: readonly Column<Limit & Partial<LimitInUse>>[] = [
  { title: 'queue', of: ({ queue }) => queue },
  { title: 'scope', of: ({ scope }) => scope },
  { title: 'name', of: ({ name }) => name, shrinks: true },
  { title: 'running', of: runningText, align: 'right' },
  { title: 'max waiting', of: ({ max_waiting: most }) => most, align: 'right' },
  { title: 'rate', of: ({ rate }) => rateText(rate) },
  { title: 'ordered', of: ({ ordered }) => ordered && `${ordered.on_retry} on retry` },
  { title: 'fair by', of: ({ fair_by: by }) => by },
  { title: 'weight', of: ({ weight }) => weight, align: 'right' },
  { title: 'paused', of: ({ paused_at: at }) => toSeconds(at) },
]

/** Such as `3 of 5`. If the number of running jobs is unknown, only the maximum. */
function runningText({ running, max_running: most }: Partial<LimitInUse>): string | number | null {
  return running === undefined || running === null ? (most ?? null) : `${running} of ${most}`
}

function rateText(rate: Limit['rate']): string | null {
  return rate === null ? null : `${rate.count} in ${rate.per_ms} ms, burst ${rate.burst}`
}

const targetOptions = {
  kind: text('KIND', 'limit this kind in the queue'),
  key: text('KEY', 'limit this key in the queue'),
  tenant: text('TENANT', 'limit this tenant in the queue'),
  'each-key': flag('limit each key in the queue that has no limit of its own'),
} as const

/** The target of the options; without them, the whole queue. */
function targetOf(queue: string, values: ValuesOf<typeof targetOptions>): LimitTarget {
  const targets = [
    ...(values.kind === undefined ? [] : [{ queue, scope: 'kind' as const, name: values.kind }]),
    ...(values.key === undefined ? [] : [{ queue, scope: 'key' as const, name: values.key }]),
    ...(values.tenant === undefined ? [] : [{ queue, scope: 'tenant' as const, name: values.tenant }]),
    ...(values['each-key'] === undefined ? [] : [{ queue, scope: 'each_key' as const }]),
  ]
  if (targets.length > 1)
    throw usageFailure('a limit has one target', 'give one of --kind, --key, --tenant and --each-key')
  return targets[0] ?? { queue, scope: 'queue' }
}

const countMax = 1_000_000

const setOptions = {
  ...targetOptions,
  'max-running': whole('N', { min: 1, max: countMax }, 'maximum number of running jobs'),
  'max-waiting': whole(
    'N',
    { min: 1, max: countMax },
    'for the queue or --tenant: maximum number of waiting jobs; further enqueues are refused',
  ),
  rate: whole('N', { min: 1, max: countMax }, 'rate limit: number of starts in --per'),
  per: duration('DURATION', 'time window of --rate, such as 1s or 1m; default: 1s'),
  burst: whole('N', { min: 1, max: countMax }, 'number of starts at once after a pause; default: 1'),
  paused: flag('do not start any job'),
  ordered: flag('with --each-key: start the jobs of each key one after the other'),
  'on-retry': choice(
    'ORDER',
    ['block', 'continue'],
    'with --ordered: whether the jobs behind one that is retried wait; default: block',
  ),
  'fair-by': choice(
    'WHOSE',
    ['tenant', 'key'],
    'let tenants or keys take turns, however many jobs each has waiting',
  ),
  weight: whole(
    'N',
    { min: 1, max: 1_000 },
    'with --tenant or --key: number of turns for each turn of the others',
  ),
} as const

const perMsDefault = 1_000

function rateOf({ rate, per, burst }: ValuesOf<typeof setOptions>): NonNullable<SetLimit['rate']> | null {
  if (rate !== undefined) return { count: rate, per_ms: per ?? perMsDefault, burst: burst ?? 1 }
  if (per === undefined && burst === undefined) return null
  throw usageFailure('--per and --burst need --rate', 'give --rate too')
}

function orderOf({
  ordered,
  'on-retry': on_retry,
}: ValuesOf<typeof setOptions>): NonNullable<SetLimit['ordered']> | null {
  if (ordered !== undefined) return on_retry === undefined ? {} : { on_retry }
  if (on_retry === undefined) return null
  throw usageFailure('--on-retry needs --ordered', 'give --ordered too')
}

export const listLimits = defineCommand({
  name: 'limits list',
  summary: 'list limits: how many jobs run at a time, how fast they start, and how many wait',
  arguments: [],
  options: { queue: text('QUEUE', 'limits of this queue') },
  examples: [
    { line: 'queue limits list --queue mail', description: 'The limits of a queue, its kinds and its keys' },
  ],
  async run({ values, connect, print, signal }) {
    const backend = await connect()
    const { data } = await collectPages((query) => limitsPage(backend, { ...query, ...values }), {
      limit: Infinity,
      signal,
    })
    await (print.isJson ? print.json({ data }) : print.table(data, columns))
  },
})

export const setLimit = defineCommand({
  name: 'limits set',
  summary:
    'set the limit of a queue, of a kind in it, or of its keys or tenants; it replaces the current one',
  arguments: [{ name: 'QUEUE' }],
  options: setOptions,
  examples: [
    {
      line: 'queue limits set mail --each-key --max-running 5',
      description: 'At most five running jobs for each key',
    },
    {
      line: 'queue limits set mail --kind send_email --rate 100 --per 1m --burst 10',
      description: 'At most 100 starts a minute',
    },
    { line: 'queue limits set sync --each-key --ordered', description: 'Run the jobs of each key in order' },
    { line: 'queue limits set mail --fair-by tenant', description: 'Let tenants take turns' },
    {
      line: 'queue limits set mail --tenant acme --weight 3',
      description: 'Give a tenant three turns for each turn of the others',
    },
    {
      line: 'queue limits set mail --max-waiting 100000',
      description: 'Refuse enqueues beyond 100000 waiting jobs',
    },
    { line: 'queue limits set mail --key acme --paused', description: 'Start no job of a key' },
  ],
  async run({ args: [queue = ''], values, connect, print }) {
    const { 'max-running': max_running = null, 'max-waiting': max_waiting = null, paused = false } = values
    const limit = await setOne(await connect(), {
      ...targetOf(queue, values),
      max_running,
      max_waiting,
      rate: rateOf(values),
      paused,
      ordered: orderOf(values),
      fair_by: values['fair-by'] ?? null,
      weight: values.weight ?? null,
    })
    await (print.isJson ? print.json(limit) : print.table([limit], columns))
  },
})

export const deleteLimit = defineCommand({
  name: 'limits delete',
  summary: 'delete a limit; jobs that it held back can start',
  arguments: [{ name: 'QUEUE' }],
  options: targetOptions,
  examples: [
    { line: 'queue limits delete mail --each-key', description: 'Run any number of jobs of each key' },
  ],
  async run({ args: [queue = ''], values, connect, print }) {
    const target = targetOf(queue, values)
    await deleteOne(await connect(), target)
    await (print.isJson ? print.json({ deleted: target }) : print.raw('the limit is deleted\n'))
  },
})
