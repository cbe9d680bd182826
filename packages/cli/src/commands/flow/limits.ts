import type { ChangeLimit, Limit, LimitInUse, LimitList, LimitPageQuery, LimitTarget } from '@queue/client'
import {
  choice,
  type Column,
  duration,
  flag,
  someOf,
  text,
  usageFailure,
  type ValuesOf,
  whole,
} from '@queue/commands'
import type { LimitRule } from '@queue/core'
import { defineCommand } from '../../command.ts'
import { backendCall } from '../../backends/backend.ts'
import { collectPages } from '../../backends/paging.ts'
import { toFilter, toWire } from '../../backends/wire.ts'
import { toSeconds } from '../reads/jobs.ts'

const limitsPage = backendCall<LimitPageQuery, Promise<LimitList>>({
  api: (client, query) => client.limitsPage(query),
  database: async (queue, query) => {
    const { limits, nextCursor } = await queue.limits.list(toFilter(query))
    return { data: limits.map((limit) => toWire(limit)), next_cursor: nextCursor }
  },
})

const changeOne = backendCall<ChangeLimit, Promise<Limit>>({
  api: (client, change) => client.changeLimit(change),
  database: async (queue, change) =>
    toWire(await queue.limits.change(toFilter(change) as unknown as LimitRule)),
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

/** What can be removed from a limit, as the options name it. */
const memberOf = {
  'max-running': 'max_running',
  'max-waiting': 'max_waiting',
  rate: 'rate',
  ordered: 'ordered',
  'fair-by': 'fair_by',
  weight: 'weight',
} as const
const removable = Object.keys(memberOf) as readonly (keyof typeof memberOf)[]

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
  resumed: flag('start jobs again after --paused'),
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
  remove: someOf('MEMBERS', removable, 'remove these members of the limit'),
} as const

const perMsDefault = 1_000

function rateOf({ rate, per, burst }: ValuesOf<typeof setOptions>): Pick<ChangeLimit, 'rate'> {
  if (rate !== undefined) return { rate: { count: rate, per_ms: per ?? perMsDefault, burst: burst ?? 1 } }
  if (per === undefined && burst === undefined) return {}
  throw usageFailure('--per and --burst need --rate', 'give --rate too')
}

function orderOf({
  ordered,
  'on-retry': on_retry,
}: ValuesOf<typeof setOptions>): Pick<ChangeLimit, 'ordered'> {
  if (ordered !== undefined) return { ordered: on_retry === undefined ? {} : { on_retry } }
  if (on_retry === undefined) return {}
  throw usageFailure('--on-retry needs --ordered', 'give --ordered too')
}

/** The members of the limit that the options name. */
function changesOf(values: ValuesOf<typeof setOptions>): Omit<ChangeLimit, keyof LimitTarget> {
  const { 'max-running': max_running, 'max-waiting': max_waiting, 'fair-by': fair_by, weight } = values
  if (values.paused && values.resumed) throw usageFailure('a limit is paused or not', 'give one of both')
  const given = {
    ...(max_running !== undefined && { max_running }),
    ...(max_waiting !== undefined && { max_waiting }),
    ...rateOf(values),
    ...(values.paused && { paused: true }),
    ...(values.resumed && { paused: false }),
    ...orderOf(values),
    ...(fair_by !== undefined && { fair_by }),
    ...(weight !== undefined && { weight }),
  }
  const removed = Object.fromEntries((values.remove ?? []).map((name) => [memberOf[name], null]))
  if (Object.keys(removed).some((name) => name in given))
    throw usageFailure('--remove names a member that another option sets')
  const changes = { ...given, ...removed }
  if (Object.keys(changes).length === 0)
    throw usageFailure('a limit must limit something', 'give at least one member, such as --max-running')
  return changes
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
    'set or change the limit of a queue, of a kind in it, or of its keys or tenants; what is not given stays as it is',
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
    {
      line: 'queue limits set mail --max-running 20 --remove rate',
      description: 'Limit the running jobs, and no longer the starts',
    },
  ],
  async run({ args: [queue = ''], values, connect, print }) {
    const limit = await changeOne(await connect(), { ...targetOf(queue, values), ...changesOf(values) })
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
