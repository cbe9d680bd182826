import type { Limit, LimitInUse, LimitList, LimitPageQuery, LimitTarget, SetLimit } from '@queue/client'
import type { LimitRule } from '@queue/core'
import { defineCommand } from '../command.ts'
import { eitherWay } from '../doors/door.ts'
import { collectPages } from '../doors/paging.ts'
import { toFilter, toWire } from '../doors/wire.ts'
import { usageFailure } from '../failure.ts'
import { choice, duration, flag, text, type ValuesOf, whole } from '../options.ts'
import type { Column } from '../output/table.ts'
import { toSeconds } from './jobs.ts'

const limitsPage = eitherWay<LimitPageQuery, Promise<LimitList>>({
  api: (client, query) => client.limitsPage(query),
  database: async (queue, query) => {
    const { limits, nextCursor } = await queue.limits.list(toFilter(query))
    return { data: limits.map((limit) => toWire(limit)), next_cursor: nextCursor }
  },
})

const setOne = eitherWay<SetLimit, Promise<Limit>>({
  api: (client, limit) => client.setLimit(limit),
  database: async (queue, limit) => toWire(await queue.limits.set(toFilter(limit) as unknown as LimitRule)),
})

const deleteOne = eitherWay<LimitTarget, Promise<void>>({
  api: (client, target) => client.deleteLimit(target),
  database: (queue, target) => queue.limits.delete(target),
})

const columns: readonly Column<Limit & Partial<LimitInUse>>[] = [
  { title: 'queue', of: ({ queue }) => queue },
  { title: 'scope', of: ({ scope }) => scope },
  { title: 'name', of: ({ name }) => name, shrinks: true },
  { title: 'running', of: runningText, align: 'right' },
  { title: 'waiting', of: ({ max_waiting: most }) => most, align: 'right' },
  { title: 'rate', of: ({ rate }) => rateText(rate) },
  { title: 'order', of: ({ ordered }) => ordered && `${ordered.on_retry} on retry` },
  { title: 'fair by', of: ({ fair_by: by }) => by },
  { title: 'weight', of: ({ weight }) => weight, align: 'right' },
  { title: 'paused', of: ({ paused_at: at }) => toSeconds(at) },
]

/** As `3 of 5`; where it is not known how many run, the bound alone. */
function runningText({ running, max_running: most }: Partial<LimitInUse>): string | number | null {
  return running === undefined || running === null ? (most ?? null) : `${running} of ${most}`
}

function rateText(rate: Limit['rate']): string | null {
  return rate === null ? null : `${rate.count} in ${rate.per_ms} ms, burst ${rate.burst}`
}

const targetOptions = {
  kind: text('KIND', 'about this kind in the queue'),
  key: text('KEY', 'about this key in the queue'),
  tenant: text('TENANT', 'about this tenant in the queue'),
  'each-key': flag('about each key in the queue that has no limit of its own'),
} as const

/** The target that the options name: all of the queue, where they name none. */
function targetOf(queue: string, values: ValuesOf<typeof targetOptions>): LimitTarget {
  const named = [
    ...(values.kind === undefined ? [] : [{ queue, scope: 'kind' as const, name: values.kind }]),
    ...(values.key === undefined ? [] : [{ queue, scope: 'key' as const, name: values.key }]),
    ...(values.tenant === undefined ? [] : [{ queue, scope: 'tenant' as const, name: values.tenant }]),
    ...(values['each-key'] === undefined ? [] : [{ queue, scope: 'each_key' as const }]),
  ]
  if (named.length > 1)
    throw usageFailure('a limit is about one thing', 'give one of --kind, --key, --tenant and --each-key')
  return named[0] ?? { queue, scope: 'queue' }
}

const most = 1_000_000

const setOptions = {
  ...targetOptions,
  'max-running': whole('N', { min: 1, max: most }, 'at most so many run at a time'),
  'max-waiting': whole(
    'N',
    { min: 1, max: most },
    'of the queue or with --tenant: where so many wait, enqueues are refused',
  ),
  rate: whole('N', { min: 1, max: most }, 'so many may start in --per'),
  per: duration('DURATION', 'the time of --rate, such as 1s or 1m; default 1s'),
  burst: whole('N', { min: 1, max: most }, 'so many may start at once, after a pause; default 1'),
  paused: flag('none may start'),
  ordered: flag('with --each-key: the jobs of each key start one after the other'),
  'on-retry': choice(
    'ORDER',
    ['block', 'continue'],
    'what jobs behind one that is retried do; default block',
  ),
  'fair-by': choice(
    'WHOSE',
    ['tenant', 'key'],
    'tenants, or keys, take turns, however many jobs wait of each',
  ),
  weight: whole('N', { min: 1, max: 1_000 }, 'with --tenant or --key: so many turns for each of the others'),
} as const

const perMsDefault = 1_000

function rateOf({ rate, per, burst }: ValuesOf<typeof setOptions>): NonNullable<SetLimit['rate']> | null {
  if (rate !== undefined) return { count: rate, per_ms: per ?? perMsDefault, burst: burst ?? 1 }
  if (per === undefined && burst === undefined) return null
  throw usageFailure('--per and --burst are about --rate', 'give --rate too')
}

function orderOf({
  ordered,
  'on-retry': on_retry,
}: ValuesOf<typeof setOptions>): NonNullable<SetLimit['ordered']> | null {
  if (ordered !== undefined) return on_retry === undefined ? {} : { on_retry }
  if (on_retry === undefined) return null
  throw usageFailure('--on-retry is about --ordered', 'give --ordered too')
}

export const listLimits = defineCommand({
  name: 'limits list',
  summary: 'list what limits how many jobs run at a time and how fast they start',
  arguments: [],
  options: { queue: text('QUEUE', 'those of this queue') },
  examples: [
    { line: 'queue limits list --queue mail', says: 'What limits the queue mail, its kinds and keys' },
  ],
  async run({ values, door, print, signal }) {
    const way = await door()
    const { data } = await collectPages((query) => limitsPage(way, { ...query, ...values }), {
      limit: Infinity,
      signal,
    })
    await (print.isJson ? print.json({ data }) : print.table(data, columns))
  },
})

export const setLimit = defineCommand({
  name: 'limits set',
  summary: 'set what limits a queue, a kind in it or its keys, in place of what did before',
  arguments: [{ name: 'QUEUE' }],
  options: setOptions,
  examples: [
    { line: 'queue limits set mail --each-key --max-running 5', says: 'Five jobs of each key at a time' },
    {
      line: 'queue limits set mail --kind send_email --rate 100 --per 1m --burst 10',
      says: 'A hundred a minute',
    },
    { line: 'queue limits set sync --each-key --ordered', says: 'The jobs of each key run in their order' },
    { line: 'queue limits set mail --fair-by tenant', says: 'Tenants take turns' },
    {
      line: 'queue limits set mail --tenant acme --weight 3',
      says: 'This one has three turns for each of the others',
    },
    { line: 'queue limits set mail --max-waiting 100000', says: 'No more are enqueued while so many wait' },
    { line: 'queue limits set mail --key acme --paused', says: 'No job of this key is started' },
  ],
  async run({ words: [queue = ''], values, door, print }) {
    const { 'max-running': max_running = null, 'max-waiting': max_waiting = null, paused = false } = values
    const limit = await setOne(await door(), {
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
  summary: 'delete a limit: what it held back may start',
  arguments: [{ name: 'QUEUE' }],
  options: targetOptions,
  examples: [{ line: 'queue limits delete mail --each-key', says: 'Any number of jobs of each key may run' }],
  async run({ words: [queue = ''], values, door, print }) {
    const target = targetOf(queue, values)
    await deleteOne(await door(), target)
    await (print.isJson ? print.json({ deleted: target }) : print.raw('the limit is deleted\n'))
  },
})
