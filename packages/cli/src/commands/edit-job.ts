import type { EditedJob, EditJob, Job } from '@queue/client'
import type { JobEdit, Queue } from '@queue/core'
import { defineCommand } from '../command.ts'
import { eitherWay } from '../doors/door.ts'
import { toFilter, toWire } from '../doors/wire.ts'
import { usageFailure } from '../failure.ts'
import { duration, instant, json, type ValuesOf, whole } from '../options.ts'
import { changeEach } from './change-jobs.ts'
import { builtInKind } from './built-in-kind.ts'
import { filterOf, jobNotFound, printJob, weightMax } from './jobs.ts'

interface Edit {
  readonly id: string
  /** In the names of the API. */
  readonly changes: EditJob
}

const edit = eitherWay<Edit, Promise<EditedJob>>({
  api: (client, { id, changes }) => client.edit(id, changes),
  database: editInDatabase,
})

async function editInDatabase(queue: Queue, { id, changes }: Edit): Promise<EditedJob> {
  const { payload, run_at: runAt, version: _, ...members } = changes
  const present = await queue.get(id)
  if (present === undefined) throw jobNotFound()
  const given = toFilter(members) as JobEdit
  const { job, previous } = await queue.edit(id, {
    ...given,
    ...(runAt !== undefined && { runAt: new Date(runAt) }),
    ...(payload !== undefined && { work: { definition: await builtInKind(present.kind), payload } }),
  })
  return { job: toWire(job), previous: toWire(previous) as EditedJob['previous'] }
}

const priorityMax = 9
const attemptsMax = 100

const editOptions = {
  priority: whole('N', { min: 0, max: priorityMax }, 'lower runs first'),
  'run-at': instant('INSTANT', 'the earliest start; a past one counts as now'),
  'max-attempts': whole('N', { min: 1, max: attemptsMax }, 'how often it may be tried, more than it was'),
  timeout: duration('DURATION', 'how long one attempt may take'),
  weight: whole('N', { min: 1, max: weightMax }, 'how many tokens its start costs of each rate'),
  metadata: json('JSON', 'other metadata in the place of all that it has, such as {"order_id":4711}'),
  payload: json('JSON', 'another input for its handler'),
} as const

function changesOf(values: ValuesOf<typeof editOptions>): EditJob {
  const { timeout_ms: _, timeout, ...given } = filterOf(values, Object.keys(editOptions))
  return { ...given, ...(timeout !== undefined && { timeout_ms: timeout }) } as EditJob
}

export const editJob = defineCommand({
  name: 'edit',
  summary: 'change a job that waits',
  description:
    'A job runs as it was, or as it is then. What was there before is shown, or is in the JSON as previous.',
  arguments: [{ name: 'ID' }],
  options: editOptions,
  examples: [{ line: 'queue edit ID --priority 0', says: 'Ahead of the others' }],
  async run({ values, words: [id = ''], door, print }) {
    const changes = changesOf(values)
    if (Object.keys(changes).length === 0) throw usageFailure('nothing is to be changed', 'give an option')
    const edited = await edit(await door(), { id, changes })
    if (print.isJson) return print.json(edited)
    await printJob({ print }, edited.job)
    print.note(`before: ${JSON.stringify(edited.previous)}`)
  },
})

const runOne = eitherWay<string, Promise<Job>>({
  api: (client, id) => client.runNow(id),
  database: async (queue, id) => toWire(await queue.runNow(id)),
})

export const runJobsNow = defineCommand({
  name: 'run-now',
  summary: 'let waiting jobs start as soon as a worker is free',
  arguments: [{ name: 'ID', count: 'many' }],
  options: {},
  examples: [{ line: 'queue run-now ID', says: 'Do not wait for its time' }],
  run: (context) => changeEach(context, runOne),
})

const duplicateOne = eitherWay<string, Promise<Job>>({
  api: (client, id) => client.duplicate(id),
  database: async (queue, id) => toWire(await queue.duplicate(id)),
})

export const duplicateJobs = defineCommand({
  name: 'duplicate',
  summary: 'enqueue another job like one that is there, without its idempotency key and its unique key',
  arguments: [{ name: 'ID', count: 'many' }],
  options: {},
  examples: [{ line: 'queue duplicate ID', says: 'The same work once more' }],
  run: (context) => changeEach(context, duplicateOne),
})
