import type { Job, Schedule, ScheduleList, SchedulePageQuery, SchedulePreview } from '@queue/client'
import type { Schedule as StoredSchedule } from '@queue/core'
import { type Context, defineCommand } from '../command.ts'
import { type Door, eitherWay } from '../doors/door.ts'
import { toFilter, toWire } from '../doors/wire.ts'
import { Failure, usageFailure } from '../failure.ts'
import { text } from '../options.ts'
import type { Column } from '../output/table.ts'
import { filterOf, printJob, toSeconds } from './jobs.ts'
import { pageOptions, printList } from './list-page.ts'
import { optionsOfTiming, timingOf, timingOptions, toTiming } from './schedule-options.ts'

/** A schedule of the library as the API shows one, in the order of its members. */
export function toSchedule(stored: StoredSchedule): Schedule {
  const { name, source, revision, kind, kindVersion, payload, options, description, ...rest } = stored
  return toWire({ name, source, revision, kind, kindVersion, payload, ...options, description, ...rest })
}

/** The answer of the API, for the way that does not go through it. */
export function scheduleNotFound(): Failure {
  return new Failure({ error: 'schedule_not_found', detail: 'there is no schedule with this name' })
}

const schedulesPage = eitherWay<SchedulePageQuery, Promise<ScheduleList>>({
  api: (client, query) => client.schedulesPage(query),
  database: async (queue, query) => {
    const { schedules, nextCursor } = await queue.schedules.list(toFilter(query))
    return { data: schedules.map(toSchedule), next_cursor: nextCursor }
  },
})

const readSchedule = eitherWay<string, Promise<Schedule>>({
  api: (client, name) => client.schedule(name),
  database: async (queue, name) => {
    const found = await queue.schedules.get(name)
    if (found !== undefined) return toSchedule(found)
    throw scheduleNotFound()
  },
})

const removeSchedule = eitherWay<string, Promise<void>>({
  api: (client, name) => client.deleteSchedule(name),
  database: (queue, name) => queue.schedules.delete(name),
})

const pauseOne = eitherWay<string, Promise<Schedule>>({
  api: (client, name) => client.pauseSchedule(name),
  database: async (queue, name) => toSchedule(await queue.schedules.pause(name)),
})

const resumeOne = eitherWay<string, Promise<Schedule>>({
  api: (client, name) => client.resumeSchedule(name),
  database: async (queue, name) => toSchedule(await queue.schedules.resume(name)),
})

const runNow = eitherWay<{ readonly name: string; readonly idempotencyKey: string }, Promise<Job>>({
  api: (client, { name, ...options }) => client.runScheduleNow(name, options),
  database: async (queue, { name, ...options }) => {
    const { job } = await queue.schedules.runNow(name, options)
    return toWire(job)
  },
})

const preview = eitherWay<string | ReturnType<typeof timingOf>, Promise<SchedulePreview>>({
  api: (client, of) => client.previewSchedule(of),
  database: async (queue, of) =>
    toWire(await queue.schedules.preview(typeof of === 'string' ? of : toTiming(of))),
})

const columns: readonly Column<Schedule>[] = [
  { title: 'name', of: ({ name }) => name },
  { title: 'kind', of: ({ kind }) => kind, shrinks: true },
  { title: 'fires', of: ({ description }) => description, shrinks: true },
  { title: 'state', of: stateOf },
  { title: 'next run', of: ({ next_run_at: at }) => toSeconds(at) },
  { title: 'last run', of: ({ last_run_at: at }) => toSeconds(at) },
]

function stateOf({ paused_at: pausedAt, next_run_at: nextRunAt }: Schedule): string {
  if (pausedAt !== null) return 'paused'
  return nextRunAt === null ? 'ended' : 'active'
}

/** Shows one schedule in full. */
export async function printSchedule(
  { print }: Pick<Context<unknown>, 'print'>,
  schedule: Schedule,
): Promise<void> {
  if (print.isJson) return print.json(schedule)
  const { payload, retry_policy: policy, metadata, unique, ...members } = schedule
  await print.detail({
    ...members,
    payload: JSON.stringify(payload),
    retry_policy: policy === null ? null : JSON.stringify(policy),
    metadata: metadata === null ? null : JSON.stringify(metadata),
    unique: unique === null ? null : JSON.stringify(unique),
  })
}

const filterOptions = {
  source: text('SOURCE', 'those that a sync of this source keeps'),
  kind: text('KIND', 'those whose jobs are of this kind'),
} as const

export const listSchedules = defineCommand({
  name: 'schedules list',
  summary: 'list the schedules by name, with when each runs next',
  arguments: [],
  options: {
    ...filterOptions,
    ...pageOptions,
  },
  examples: [{ line: 'queue schedules list --kind send_email', says: 'What sends e-mails by itself' }],
  async run(context) {
    const { values, door } = context
    const filter = filterOf(values, Object.keys(filterOptions))
    const way = await door()
    await printList(context, {
      fetchPage: (query) => schedulesPage(way, { ...filter, ...query }),
      show: (items) => context.print.table(items, columns),
    })
  },
})

export const getSchedule = defineCommand({
  name: 'schedules get',
  summary: 'show a schedule',
  arguments: [{ name: 'SCHEDULE' }],
  options: {},
  examples: [{ line: 'queue schedules get nightly-report', says: 'When it runs, and what it enqueues' }],
  async run({ words: [name = ''], door, print }) {
    await printSchedule({ print }, await readSchedule(await door(), name))
  },
})

export const pauseSchedule = defineCommand({
  name: 'schedules pause',
  summary: 'let schedules enqueue nothing until they are resumed',
  arguments: [{ name: 'SCHEDULE', count: 'many' }],
  options: {},
  examples: [{ line: 'queue schedules pause nightly-report', says: 'It enqueues nothing after this' }],
  run: (context) => changeSchedules(context, pauseOne),
})

export const resumeSchedule = defineCommand({
  name: 'schedules resume',
  summary: 'let paused schedules go on from now; runs that fell into the pause are dropped',
  arguments: [{ name: 'SCHEDULE', count: 'many' }],
  options: {},
  examples: [{ line: 'queue schedules resume nightly-report', says: 'It runs again from its next instant' }],
  run: (context) => changeSchedules(context, resumeOne),
})

async function changeSchedules(
  { words, door, print, signal }: Context<unknown>,
  change: (way: Door, name: string) => Promise<Schedule>,
): Promise<void> {
  const way = await door()
  for (const name of words) {
    signal.throwIfAborted()
    const schedule = await change(way, name)
    const next = schedule.next_run_at === null ? '' : `, next run ${toSeconds(schedule.next_run_at)}`
    await (print.isJson
      ? print.json(schedule)
      : print.raw(`${schedule.name} is ${stateOf(schedule)}${schedule.paused_at === null ? next : ''}\n`))
  }
}

export const deleteSchedules = defineCommand({
  name: 'schedules delete',
  summary: 'remove schedules; the jobs that they have enqueued stay',
  arguments: [{ name: 'SCHEDULE', count: 'many' }],
  options: {},
  examples: [{ line: 'queue schedules delete nightly-report', says: 'It enqueues nothing after this' }],
  async run({ words, door, print, signal }) {
    const way = await door()
    for (const name of words) {
      signal.throwIfAborted()
      await removeSchedule(way, name)
      await (print.isJson ? print.json({ deleted: name }) : print.raw(`${name} is deleted\n`))
    }
  },
})

export const runScheduleNow = defineCommand({
  name: 'schedules run-now',
  summary: 'enqueue a job of a schedule now, and show it; its instants stay as they are',
  arguments: [{ name: 'SCHEDULE' }],
  options: {
    'idempotency-key': text('KEY', 'one key makes one job, however often this is run'),
  },
  examples: [{ line: 'queue schedules run-now nightly-report', says: 'One report more, paused or not' }],
  async run({ words: [name = ''], values, door, print }) {
    const idempotencyKey = values['idempotency-key'] ?? crypto.randomUUID()
    const job = await runNow(await door(), { name, idempotencyKey })
    await (print.isJson ? print.json(job) : printJob({ print }, job))
  },
})

export const previewSchedule = defineCommand({
  name: 'schedules preview',
  summary: 'show when a schedule runs next, or when one with these options would',
  arguments: [{ name: 'SCHEDULE', count: 'any' }],
  options: timingOptions,
  examples: [
    { line: 'queue schedules preview nightly-report', says: 'The next 20 instants of a schedule' },
    {
      line: "queue schedules preview --cron '0 2 * * 1-5' --time-zone Europe/Berlin",
      says: 'Those of an expression that no schedule has yet',
    },
  ],
  async run({ words, values, door, print }) {
    const isTiming = optionsOfTiming.some((name) => values[name] !== undefined)
    if (words.length + (isTiming ? 1 : 0) !== 1) {
      throw usageFailure('this shows one schedule', 'give its name, or --cron or --every')
    }
    const found = await preview(await door(), words[0] ?? timingOf(values))
    if (print.isJson) return print.json(found)
    await print.raw(`${found.description}\n${found.instants.map((at) => `${toSeconds(at)}\n`).join('')}`)
  },
})
