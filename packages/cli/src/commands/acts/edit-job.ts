import type { EditedJob, EditJob, Job } from '@queue/client'
import { timestamp, usageFailure, type ValuesOf } from '@queue/commands'
import type { JobEdit, Queue } from '@queue/core'
import { defineCommand } from '../../command.ts'
import { backendCall } from '../../backends/backend.ts'
import { toFilter, toWire } from '../../backends/wire.ts'
import { json } from '../../json.ts'
import { changeEach } from './change-jobs.ts'
import { builtInKind } from '../kinds/built-in-kind.ts'
import { editedOptions, toMembers } from '../enqueue/job-options.ts'
import { filterOf, jobNotFound, printJob } from '../reads/jobs.ts'

interface Edit {
  readonly id: string
  /** In the names of the API. */
  readonly changes: EditJob
}

const editOne = backendCall<Edit, Promise<EditedJob>>({
  api: (client, { id, changes }) => client.edit(id, changes),
  database: editInDatabase,
})

async function editInDatabase(queue: Queue, { id, changes }: Edit): Promise<EditedJob> {
  const { payload, run_at: runAt, version: _, ...members } = changes
  const current = await queue.get(id)
  if (current === undefined) throw jobNotFound()
  const edit = toFilter(members) as JobEdit
  const { job, previous } = await queue.edit(id, {
    ...edit,
    ...(runAt !== undefined && { runAt: new Date(runAt) }),
    ...(payload !== undefined && { work: { definition: await builtInKind(current.kind), payload } }),
  })
  return { job: toWire(job), previous: toWire(previous) as EditedJob['previous'] }
}

const editOptions = {
  ...editedOptions,
  'run-at': timestamp('TIME', 'earliest start; a time in the past counts as now'),
  payload: json('JSON', 'new payload'),
} as const

function changesOf(values: ValuesOf<typeof editOptions>): EditJob {
  return toMembers(filterOf(values, Object.keys(editOptions)))
}

export const editJob = defineCommand({
  name: 'edit',
  summary: 'edit a waiting job',
  description:
    'An attempt sees the job either before or after the edit. The previous values are shown; in JSON, they are in ' +
    'previous.',
  arguments: [{ name: 'ID' }],
  options: editOptions,
  examples: [{ line: 'queue edit ID --priority 0', description: 'Raise the priority of a job' }],
  async run({ values, args: [id = ''], connect, print }) {
    const changes = changesOf(values)
    if (Object.keys(changes).length === 0)
      throw usageFailure('no changes are given', 'give at least one option')
    const edited = await editOne(await connect(), { id, changes })
    if (print.isJson) return print.json(edited)
    await printJob({ print }, edited.job)
    print.note(`before: ${JSON.stringify(edited.previous)}`)
  },
})

const runOne = backendCall<string, Promise<Job>>({
  api: (client, id) => client.runNow(id),
  database: async (queue, id) => toWire(await queue.runNow(id)),
})

export const runJobsNow = defineCommand({
  name: 'run-now',
  summary: 'make waiting jobs due now, so that they start as soon as a worker is free',
  arguments: [{ name: 'ID', count: 'many' }],
  options: {},
  examples: [{ line: 'queue run-now ID', description: 'Start a scheduled job now' }],
  run: (context) => changeEach(context, runOne),
})

const duplicateOne = backendCall<string, Promise<Job>>({
  api: (client, id) => client.duplicate(id),
  database: async (queue, id) => toWire(await queue.duplicate(id)),
})

export const duplicateJobs = defineCommand({
  name: 'duplicate',
  summary: 'enqueue a copy of a job, without its idempotency key and its unique key',
  arguments: [{ name: 'ID', count: 'many' }],
  options: {},
  examples: [{ line: 'queue duplicate ID', description: 'Run the same work again as a new job' }],
  run: (context) => changeEach(context, duplicateOne),
})
