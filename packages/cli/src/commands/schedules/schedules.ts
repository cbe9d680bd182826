import type { Job, Schedule, ScheduleList, SchedulePageQuery, SchedulePreview } from '@queue/client'
import { type Column, type ExitCode, type Failure, text, usageFailure } from '@queue/commands'
import type { Schedule as StoredSchedule } from '@queue/core'
import { type Context, defineCommand } from '../../command.ts'
import { type Backend, backendCall } from '../../backends/backend.ts'
import { toFilter, toWire } from '../../backends/wire.ts'
import { failureOf } from '../../failure.ts'
import { eachArgument } from '../each-argument.ts'
import { filterOf, printJob, toSeconds } from '../reads/jobs.ts'
import { pageOptions, printList } from '../list-page.ts'
import { optionsOfTiming, timingOf, timingOptions } from './schedule-options.ts'

/** A schedule of the library as the API shows it, with the same order of members. */
export function toSchedule(stored: StoredSchedule): Schedule {
  const { name, source, revision, kind, kindVersion, payload, options, description, ...rest } = stored
  return toWire({ name, source, revision, kind, kindVersion, payload, ...options, description, ...rest })
}

/** The same failure as that of the API. */
function scheduleNotFound(): Failure {
  return failureOf({ error: 'schedule_not_found', detail: 'there is no schedule with this name' })
}

const schedulesPage = backendCall<SchedulePageQuery, Promise<ScheduleList>>({
  api: (client, query) => client.schedulesPage(query),
  database: async (queue, query) => {
    const { schedules, nextCursor } = await queue.schedules.list(toFilter(query))
    return { data: schedules.map(toSchedule), next_cursor: nextCursor }
  },
})

const readSchedule = backendCall<string, Promise<Schedule>>({
  api: (client, name) => client.schedule(name),
  database: async (queue, name) => {
    const schedule = await queue.schedules.get(name)
    if (schedule !== undefined) return toSchedule(schedule)
    throw scheduleNotFound()
  },
})

const removeSchedule = backendCall<string, Promise<void>>({
  api: (client, name) => client.deleteSchedule(name),
  database: (queue, name) => queue.schedules.delete(name),
})

const pauseOne = backendCall<string, Promise<Schedule>>({
  api: (client, name) => client.pauseSchedule(name),
  database: async (queue, name) => toSchedule(await queue.schedules.pause(name)),
})

const resumeOne = backendCall<string, Promise<Schedule>>({
  api: (client, name) => client.resumeSchedule(name),
  database: async (queue, name) => toSchedule(await queue.schedules.resume(name)),
})

const runNow = backendCall<{ readonly name: string; readonly idempotencyKey: string }, Promise<Job>>({
  api: (client, { name, ...options }) => client.runScheduleNow(name, options),
  database: async (queue, { name, ...options }) => {
    const { job } = await queue.schedules.runNow(name, options)
    return toWire(job)
  },
})

const preview = backendCall<string | ReturnType<typeof timingOf>, Promise<SchedulePreview>>({
  api: (client, target) => client.previewSchedule(target),
  database: async (queue, target) => {
    if (typeof target === 'string') return toWire(await queue.schedules.preview(target))
    const { decodeTiming, checkDocument, scheduleTimingSchema } = await import('@queue/core/internal')
    const timing = checkDocument(scheduleTimingSchema, target, 'invalid_schedule')
    return toWire(await queue.schedules.preview(decodeTiming(timing)))
  },
})

const columns: readonly Column<Schedule>[] = [
  { title: 'name', of: ({ name }) => name },
  { title: 'kind', of: ({ kind }) => kind, shrinks: true },
  { title: 'runs', of: ({ description }) => description, shrinks: true },
  { title: 'state', of: stateOf },
  { title: 'next run', of: ({ next_run_at: at }) => toSeconds(at) },
  { title: 'last run', of: ({ last_run_at: at }) => toSeconds(at) },
]

function stateOf({ paused_at: pausedAt, next_run_at: nextRunAt }: Schedule): string {
  if (pausedAt !== null) return 'paused'
  return nextRunAt === null ? 'ended' : 'active'
}

/** Prints all members of a schedule. */
export async function printSchedule(
  { print }: Pick<Context<unknown>, 'print'>,
  schedule: Schedule,
): Promise<void> {
  if (print.isJson) return print.json(schedule)
  const { payload, sensitive, retry_policy: policy, metadata, unique, ...members } = schedule
  await print.detail({
    ...members,
    payload: JSON.stringify(payload),
    sensitive: sensitive === null ? null : JSON.stringify(sensitive),
    retry_policy: policy === null ? null : JSON.stringify(policy),
    metadata: metadata === null ? null : JSON.stringify(metadata),
    unique: unique === null ? null : JSON.stringify(unique),
  })
}

const filterOptions = {
  source: text('SOURCE', 'schedules of this source'),
  kind: text('KIND', 'schedules whose jobs have this kind'),
} as const

export const listSchedules = defineCommand({
  name: 'schedules list',
  summary: 'list schedules with their next run, sorted by name',
  arguments: [],
  options: {
    ...filterOptions,
    ...pageOptions,
  },
  examples: [{ line: 'queue schedules list --kind send_email', description: 'The schedules of a kind' }],
  async run(context) {
    const { values, connect } = context
    const filter = filterOf(values, Object.keys(filterOptions))
    const backend = await connect()
    await printList(context, {
      fetchPage: (query) => schedulesPage(backend, { ...filter, ...query }),
      show: (items) => context.print.table(items, columns),
    })
  },
})

export const getSchedule = defineCommand({
  name: 'schedules get',
  summary: 'show a schedule',
  arguments: [{ name: 'SCHEDULE' }],
  options: {},
  examples: [
    { line: 'queue schedules get nightly-report', description: 'The timing and the job of a schedule' },
  ],
  async run({ args: [name = ''], connect, print }) {
    await printSchedule({ print }, await readSchedule(await connect(), name))
  },
})

export const pauseSchedule = defineCommand({
  name: 'schedules pause',
  summary: 'pause schedules: they enqueue nothing until they are resumed',
  arguments: [{ name: 'SCHEDULE', count: 'many' }],
  options: {},
  examples: [{ line: 'queue schedules pause nightly-report', description: 'Pause a schedule' }],
  run: (context) => changeSchedules(context, pauseOne),
})

export const resumeSchedule = defineCommand({
  name: 'schedules resume',
  summary: 'resume paused schedules from now; runs during the pause are not made up for',
  arguments: [{ name: 'SCHEDULE', count: 'many' }],
  options: {},
  examples: [{ line: 'queue schedules resume nightly-report', description: 'Resume a schedule' }],
  run: (context) => changeSchedules(context, resumeOne),
})

function changeSchedules(
  context: Context<unknown>,
  change: (backend: Backend, name: string) => Promise<Schedule>,
): Promise<ExitCode | void> {
  const { print } = context
  return eachArgument(context, async (backend, name) => {
    const schedule = await change(backend, name)
    const next = schedule.next_run_at === null ? '' : `, next run ${toSeconds(schedule.next_run_at)}`
    await (print.isJson
      ? print.json(schedule)
      : print.raw(`${schedule.name} is ${stateOf(schedule)}${schedule.paused_at === null ? next : ''}\n`))
  })
}

export const deleteSchedules = defineCommand({
  name: 'schedules delete',
  summary: 'delete schedules; jobs that they have enqueued are kept',
  arguments: [{ name: 'SCHEDULE', count: 'many' }],
  options: {},
  examples: [{ line: 'queue schedules delete nightly-report', description: 'Delete a schedule' }],
  run: (context) =>
    eachArgument(context, async (backend, name) => {
      const { print } = context
      await removeSchedule(backend, name)
      await (print.isJson ? print.json({ deleted: name }) : print.raw(`${name} is deleted\n`))
    }),
})

export const runScheduleNow = defineCommand({
  name: 'schedules run-now',
  summary: 'enqueue one job of a schedule now and show it; its run times do not change',
  arguments: [{ name: 'SCHEDULE' }],
  options: {
    'idempotency-key': text('KEY', 'makes the command safe to repeat: a key creates one job'),
  },
  examples: [
    {
      line: 'queue schedules run-now nightly-report',
      description: 'Run a schedule now, even if it is paused',
    },
  ],
  async run({ args: [name = ''], values, connect, print }) {
    const idempotencyKey = values['idempotency-key'] ?? crypto.randomUUID()
    const job = await runNow(await connect(), { name, idempotencyKey })
    await (print.isJson ? print.json(job) : printJob({ print }, job))
  },
})

export const previewSchedule = defineCommand({
  name: 'schedules preview',
  summary: 'show the next run times of a schedule, or of a timing',
  arguments: [{ name: 'SCHEDULE', count: 'any' }],
  options: timingOptions,
  examples: [
    { line: 'queue schedules preview nightly-report', description: 'The next 20 run times of a schedule' },
    {
      line: "queue schedules preview --cron '0 2 * * 1-5' --time-zone Europe/Berlin",
      description: 'The next 20 run times of an expression',
    },
  ],
  async run({ args, values, connect, print }) {
    const isTiming = optionsOfTiming.some((name) => values[name] !== undefined)
    if (args.length + (isTiming ? 1 : 0) !== 1) {
      throw usageFailure('exactly one schedule is required', 'give its name, or --cron or --every')
    }
    const result = await preview(await connect(), args[0] ?? timingOf(values))
    if (print.isJson) return print.json(result)
    await print.raw(`${result.description}\n${result.instants.map((at) => `${toSeconds(at)}\n`).join('')}`)
  },
})
