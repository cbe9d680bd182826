import type {
  CreateSchedule,
  Schedule,
  ScheduleSyncReport,
  SyncSchedules,
  UpdateSchedule,
} from '@queue/client'
import type { NewSchedule, Queue, ScheduleChanges, Schedule as StoredSchedule } from '@queue/core'
import { defineCommand } from '../command.ts'
import { eitherWay } from '../doors/door.ts'
import { toFilter, toWire } from '../doors/wire.ts'
import { usageFailure } from '../failure.ts'
import { text, type ValuesOf, whole } from '../options.ts'
import { builtInKind } from './built-in-kind.ts'
import { filterOf, jobOptions, toMembers } from './jobs.ts'
import { givenPayload, payloadOf, payloadOptions, readDocument } from './payload.ts'
import { timingOf, timingOptions, toTiming } from './schedule-options.ts'
import { printSchedule, scheduleNotFound, toSchedule } from './schedules.ts'

type AnySchedule = CreateSchedule<Readonly<Record<string, unknown>>>
type AnySync = SyncSchedules<Readonly<Record<string, unknown>>>

const create = eitherWay<AnySchedule, Promise<Schedule>>({
  api: (client, schedule) => client.createSchedule(schedule),
  database: async (queue, schedule) =>
    toSchedule(await queue.schedules.create(await toNewSchedule(schedule))),
})

interface Changes {
  readonly name: string
  readonly changes: UpdateSchedule
}

const update = eitherWay<Changes, Promise<Schedule>>({
  api: (client, { name, changes }) => client.updateSchedule(name, changes),
  database: async (queue, { name, changes }) => {
    const stored = await toChanges(queue, { name, changes })
    return toSchedule(await queue.schedules.update(name, stored))
  },
})

const sync = eitherWay<AnySync, Promise<ScheduleSyncReport>>({
  api: (client, given) => client.syncSchedules(given),
  database: async (queue, { schedules, ...options }) => {
    const list = await Promise.all(schedules.map(toNewSchedule))
    const report = await queue.schedules.sync(list, options)
    return toWire({ ...report, outcome: report.outcome })
  },
})

const workOptions = {
  'kind-version': whole('N', { min: 1, max: 32_767 }, 'the version of its kind that the payload is of'),
  ...jobOptions,
} as const

const memberNames = [
  'version',
  'queue',
  'priority',
  'max_attempts',
  'timeout_ms',
  'retry_policy',
  'metadata',
  'expires_in_ms',
  'key',
  'weight',
] as const

/** The options of its jobs, from a document of the API. */
function toJobOptions(given: UpdateSchedule): NonNullable<NewSchedule['options']> {
  const members = memberNames.flatMap((name) => (given[name] === undefined ? [] : [[name, given[name]]]))
  return toFilter(Object.fromEntries(members))
}

async function toNewSchedule(given: AnySchedule): Promise<NewSchedule> {
  return {
    name: given.name,
    definition: await builtInKind(given.kind),
    payload: given.payload,
    options: toJobOptions(given),
    ...toTiming(given),
  }
}

/** What the API makes of the same request: what is not given stays. */
async function toChanges(queue: Queue, { name, changes }: Changes): Promise<ScheduleChanges> {
  const current = await queue.schedules.get(name)
  if (current === undefined) throw scheduleNotFound()
  const timing = toTiming(changes)
  const options = toJobOptions(changes)
  const isWork = changes.kind !== undefined || changes.payload !== undefined
  if (!isWork && Object.keys(options).length === 0) return timing
  return {
    ...timing,
    definition: await builtInKind(changes.kind ?? current.kind),
    payload: changes.payload === undefined ? current.payload : changes.payload,
    options: {
      ...keptOptions(current),
      ...(isWork ? { key: undefined } : { version: current.kindVersion }),
      ...options,
    },
  }
}

function keptOptions({ options }: StoredSchedule): NonNullable<NewSchedule['options']> {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== null))
}

function workOf(values: ValuesOf<typeof workOptions>): Record<string, unknown> {
  return toMembers(filterOf(values, Object.keys(workOptions)))
}

export const createSchedule = defineCommand({
  name: 'schedules create',
  summary: 'create a schedule: a job of a kind is enqueued at each of its instants, and once',
  description:
    'Give --cron or --every. A payload on the command line can be seen by every user of the machine: pass secrets by --payload-file.',
  arguments: [{ name: 'SCHEDULE' }, { name: 'KIND' }],
  options: { ...timingOptions, ...payloadOptions, ...workOptions },
  examples: [
    {
      line: "queue schedules create weekly-report send_email --payload-file welcome.json --cron '0 7 * * 1' --time-zone Europe/Berlin",
      says: 'On Mondays at seven, in summer and in winter',
    },
    {
      line: `queue schedules create digest summarize_text --payload '{"text":"A long story."}' --every 10m --overlap skip`,
      says: 'Every ten minutes, but not beside itself',
    },
  ],
  async run(context) {
    const {
      words: [name = '', kind = ''],
      values,
      door,
      print,
    } = context
    const payload = await payloadOf(context)
    const schedule = await create(await door(), {
      ...workOf(values),
      ...timingOf(values),
      name,
      kind,
      payload,
    })
    await printSchedule({ print }, schedule)
  },
})

export const updateSchedule = defineCommand({
  name: 'schedules update',
  summary: 'change a schedule; what is not given stays as it is',
  description:
    'An expression takes the place of an interval, and the other way round. Where that moves its instants, the schedule starts anew from now.',
  arguments: [{ name: 'SCHEDULE' }],
  options: {
    ...timingOptions,
    kind: text('KIND', 'of which its jobs are from now on'),
    ...payloadOptions,
    ...workOptions,
  },
  examples: [
    { line: "queue schedules update nightly-report --cron '0 3 * * 1-5'", says: 'An hour later' },
    {
      line: 'queue schedules update nightly-report --missed skip --ends-at none',
      says: 'For ever, and what fell into a gap is dropped',
    },
  ],
  async run(context) {
    const {
      words: [name = ''],
      values,
      door,
      print,
    } = context
    const payload = await givenPayload(context)
    const changes = {
      ...workOf(values),
      ...timingOf(values),
      ...(values.kind !== undefined && { kind: values.kind }),
      ...(payload !== undefined && { payload }),
    }
    if (Object.keys(changes).length === 0) {
      throw usageFailure('this changes nothing', 'give the options that change')
    }
    await printSchedule({ print }, await update(await door(), { name, changes }))
  },
})

export const syncSchedules = defineCommand({
  name: 'schedules sync',
  summary: 'bring the schedules of a source in step with a file, all or none',
  description:
    'The file is the body of POST /schedules/sync: source, revision, prune and schedules. An older revision changes nothing.',
  arguments: [{ name: 'FILE' }],
  options: {},
  examples: [
    { line: 'queue schedules sync schedules.json', says: 'As a step of a deployment' },
    { line: 'cat schedules.json | queue schedules sync - --json', says: 'From standard input' },
  ],
  async run(context) {
    const {
      words: [path = ''],
      door,
      print,
    } = context
    const given = await readDocument(context, { path, option: 'the file' })
    const report = await sync(await door(), asSync(given))
    if (print.isJson) return print.json(report)
    const { outcome, revision, created, updated, unchanged, deleted } = report
    const listed = { created, updated, unchanged, deleted }
    const shown = Object.entries(listed).map(([what, names]) => [what, names.join(' ') || '-'])
    await print.detail({ outcome, revision, ...Object.fromEntries(shown) })
  },
})

/** Whatever else is wrong with the document, the queue says. */
function asSync(given: unknown): AnySync {
  const isObject = typeof given === 'object' && given !== null
  const schedules = isObject && 'schedules' in given ? given.schedules : undefined
  const isList = Array.isArray(schedules) && schedules.every((one) => typeof one === 'object' && one !== null)
  if (isList) return given as AnySync
  throw usageFailure('the file is no sync', 'it has source, revision and a list of schedules')
}
