import type {
  CreateSchedule,
  Schedule,
  ScheduleSyncReport,
  SyncSchedules,
  UpdateSchedule,
} from '@queue/client'
import { text, usageFailure, type ValuesOf, whole } from '@queue/commands'
import { limits } from '@queue/core/plain'
import { defineCommand } from '../../command.ts'
import { backendCall } from '../../backends/backend.ts'
import { inFile } from '../../backends/to-failure.ts'
import { toWire } from '../../backends/wire.ts'
import { builtInKind } from '../kinds/built-in-kind.ts'
import { jobOptions, toMembers } from '../enqueue/job-options.ts'
import { filterOf } from '../reads/jobs.ts'
import { optionalPayload, payloadOf, payloadOptions, readDocument } from '../enqueue/payload.ts'
import { timingOf, timingOptions } from './schedule-options.ts'
import { printSchedule, toSchedule } from './schedules.ts'

type AnySchedule = CreateSchedule<Readonly<Record<string, unknown>>>
type AnySync = SyncSchedules<Readonly<Record<string, unknown>>>

const create = backendCall<AnySchedule, Promise<Schedule>>({
  api: (client, schedule) => client.createSchedule(schedule),
  database: async (queue, schedule) => {
    const { createScheduleSchema, decodeNewSchedule, checkDocument } = await import('@queue/core/internal')
    const document = checkDocument(createScheduleSchema, schedule, 'invalid_schedule')
    return toSchedule(await queue.schedules.create(await decodeNewSchedule(document, builtInKind)))
  },
})

interface Changes {
  readonly name: string
  readonly changes: UpdateSchedule
}

const update = backendCall<Changes, Promise<Schedule>>({
  api: (client, { name, changes }) => client.updateSchedule(name, changes),
  database: async (queue, { name, changes }) => {
    const { changedWork, decodeTiming, checkDocument, updateScheduleSchema } = await import(
      '@queue/core/internal'
    )
    const document = checkDocument(updateScheduleSchema, changes, 'invalid_schedule')
    const updated = await queue.schedules.update(name, async (current) => ({
      ...(await changedWork(document, current, builtInKind)),
      ...decodeTiming(document),
    }))
    return toSchedule(updated)
  },
})

const sync = backendCall<AnySync, Promise<ScheduleSyncReport>>({
  api: (client, request) => client.syncSchedules(request),
  database: async (queue, request) => {
    const { decodeNewSchedule, checkDocument, syncSchedulesSchema } = await import('@queue/core/internal')
    const {
      schedules,
      source,
      revision,
      prune = false,
    } = checkDocument(syncSchedulesSchema, request, 'invalid_schedule')
    const list = await Promise.all(
      schedules.map((document, index) =>
        decodeNewSchedule(document, (kind) => builtInKind(kind, `/schedules/${index}`)),
      ),
    )
    const report = await queue.schedules.sync(list, { source, revision, prune })
    return toWire({ ...report, outcome: report.outcome })
  },
})

const workOptions = {
  'kind-version': whole('N', { min: 1, max: limits.kindVersionMax }, 'kind version of the payload'),
  ...jobOptions,
} as const

function workOf(values: ValuesOf<typeof workOptions>): Record<string, unknown> {
  return toMembers(filterOf(values, Object.keys(workOptions)))
}

export const createSchedule = defineCommand({
  name: 'schedules create',
  summary: 'create a schedule, which enqueues one job at each of its run times',
  description:
    'Give --cron or --every. Other users of the machine can see a payload on the command line: pass secrets with ' +
    '--payload-file.',
  arguments: [{ name: 'SCHEDULE' }, { name: 'KIND' }],
  options: { ...timingOptions, ...payloadOptions, ...workOptions },
  examples: [
    {
      line: "queue schedules create weekly-report send_email --payload-file welcome.json --cron '0 7 * * 1' --time-zone Europe/Berlin",
      description: 'Every Monday at 07:00, Berlin time',
    },
    {
      line: `queue schedules create digest summarize_text --payload '{"text":"A long story."}' --every 10m --overlap skip`,
      description: 'Every ten minutes, unless the previous job has not ended',
    },
  ],
  async run(context) {
    const {
      args: [name = '', kind = ''],
      values,
      connect,
      print,
    } = context
    const payload = await payloadOf(context)
    const schedule = await create(await connect(), {
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
  summary: 'update a schedule; options that are not given do not change',
  description:
    'A cron expression replaces an interval, and an interval an expression. If that moves the run times, the ' +
    'schedule starts again from now.',
  arguments: [{ name: 'SCHEDULE' }],
  options: {
    ...timingOptions,
    kind: text('KIND', 'new kind of the jobs'),
    ...payloadOptions,
    ...workOptions,
  },
  examples: [
    { line: "queue schedules update nightly-report --cron '0 3 * * 1-5'", description: 'Run an hour later' },
    {
      line: 'queue schedules update nightly-report --missed skip --ends-at none',
      description: 'Remove the end, and skip missed runs',
    },
  ],
  async run(context) {
    const {
      args: [name = ''],
      values,
      connect,
      print,
    } = context
    const payload = await optionalPayload(context)
    const changes = {
      ...workOf(values),
      ...timingOf(values),
      ...(values.kind !== undefined && { kind: values.kind }),
      ...(payload !== undefined && { payload }),
    }
    if (Object.keys(changes).length === 0) {
      throw usageFailure('no changes are given', 'give at least one option')
    }
    await printSchedule({ print }, await update(await connect(), { name, changes }))
  },
})

export const syncSchedules = defineCommand({
  name: 'schedules sync',
  summary: 'sync the schedules of a source with a file, all or none',
  description:
    'The file is the body of POST /schedules/sync: source, revision, prune and schedules. A lower revision than the ' +
    'current one changes nothing.',
  arguments: [{ name: 'FILE' }],
  options: {},
  examples: [
    { line: 'queue schedules sync schedules.json', description: 'Sync as a step of a deployment' },
    {
      line: 'cat schedules.json | queue schedules sync - --json',
      description: 'Read the file from standard input',
    },
  ],
  async run(context) {
    const {
      args: [path = ''],
      connect,
      print,
    } = context
    const document = await readDocument(context, { path, option: 'the file' })
    const report = await inFile(sync(await connect(), asSync(document)))
    if (print.isJson) return print.json(report)
    const { outcome, revision, created, updated, unchanged, deleted } = report
    const namesByOutcome = { created, updated, unchanged, deleted }
    const shown = Object.entries(namesByOutcome).map(([name, names]) => [name, names.join(' ') || '-'])
    await print.detail({ outcome, revision, ...Object.fromEntries(shown) })
  },
})

/** Checks the form of the document. The queue validates the rest. */
function asSync(document: unknown): AnySync {
  const isObject = typeof document === 'object' && document !== null
  const schedules = isObject && 'schedules' in document ? document.schedules : undefined
  const isList = Array.isArray(schedules) && schedules.every((one) => typeof one === 'object' && one !== null)
  if (isList) return document as AnySync
  throw usageFailure('the file has no schedules', 'it must have source, revision and a list `schedules`')
}
