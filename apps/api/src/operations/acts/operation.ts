import {
  type CancelledJob,
  type DryRun,
  type ManyResult,
  type Operation,
  type PreviousStart,
  type RequeuedJob,
  limits,
} from '@queue/core'
import {
  allFields,
  anyJson,
  instantInput,
  instantOutput,
  manyOptionFields,
  operationActs,
  operationStates,
} from '@queue/core/internal'
import { z } from 'zod'
import type { Answer } from '../../http/send.ts'
import { encoderOf } from '../../wire/encode-members.ts'
import { encodeScanned, scannedSchema } from '../reads/job-filter.ts'
import { jobExample } from '../reads/job.ts'

export const operationSchema = z
  .object({
    id: z.uuid().meta({ description: 'Id of the operation. A UUIDv7, so ids sort by creation time.' }),
    act: z.enum(operationActs).meta({ description: 'The action on each job.' }),
    filter: anyJson.meta({
      description: 'Filter of the jobs.',
    }),
    run_at: instantOutput
      .nullable()
      .meta({ description: 'New earliest start, for a reschedule. Otherwise null.' }),
    rate: z
      .int()
      .min(1)
      .nullable()
      .meta({ description: 'Maximum number of jobs a second. Null if it is not limited.' }),
    state: z.enum(operationStates).meta({
      description:
        'State of the operation. `refused`: its creator no longer has the permission. `failed`: the database refused a ' +
        'change. Both have a reason.',
    }),
    expected: z.int().min(0).meta({ description: 'Number of matching jobs when the operation was created.' }),
    expected_is_least: z
      .boolean()
      .meta({ description: 'Whether expected is a lower bound, because counting stopped.' }),
    changed: z.int().min(0).meta({ description: 'Number of jobs changed so far.' }),
    skipped: z.int().min(0).meta({
      description: 'Number of jobs that matched at first, but no longer when the operation reached them.',
    }),
    reason: z
      .string()
      .nullable()
      .meta({ description: 'Why the operation was refused or failed. Otherwise null.' }),
    actor: z
      .string()
      .nullable()
      .meta({ description: 'Id of the API key or name of the role that created the operation.' }),
    actor_name: z.string().nullable().meta({ description: 'Name of the API key.' }),
    created_at: instantOutput.meta({ description: 'Time when the operation was created.' }),
    finished_at: instantOutput
      .nullable()
      .meta({ description: 'Time when the operation ended. Null while it runs.' }),
  })
  .meta({ id: 'Operation', description: 'A bulk action that workers run in batches.' })

export type WireOperation = z.output<typeof operationSchema>

/** Encodes an operation for the wire. */
export const encodeOperation: (value: Operation) => WireOperation = encoderOf(operationSchema.shape)

export const operationExample: WireOperation = {
  id: '01980d3c-7a1e-7c3a-9f52-3b1f6c0de002',
  act: 'cancel',
  filter: { queue: 'mail' },
  run_at: null,
  rate: null,
  state: 'running',
  expected: 100_000,
  expected_is_least: true,
  changed: 12_500,
  skipped: 0,
  reason: null,
  actor: 'keyaudit',
  actor_name: 'shop',
  created_at: '2026-01-15T09:30:00.000Z',
  finished_at: null,
}

/** The path parameter of an operation. An invalid id is answered with 404, since no operation has it. */
export const operationIdParameters = z.object({
  id: z.string().meta({
    format: 'uuid',
    description: 'Id of the operation.',
    example: operationExample.id,
  }),
})

/** The options of every bulk action, beside its filter. */
export const manyOptions = {
  dry_run: z
    .boolean()
    .optional()
    .meta({
      description: `Whether to only count the matching jobs (up to ${limits.actCountedMax}) and name a few. Nothing is changed.`,
      default: false,
    }),
  rate: manyOptionFields.rate.meta({
    description: 'Maximum number of jobs a second. With a rate, the action always becomes an operation.',
  }),
} as const

/** The options of every bulk action by filter. */
export const byFilterOptions = {
  all: allFields.all.meta({
    description:
      'Must be true to act on everything that the caller can see. Without it, a filter without a condition is ' +
      'refused, except in a dry run.',
    default: false,
  }),
  ...manyOptions,
} as const

/** The previous start of a rescheduled job: returned by the reschedule, and sent to undo it. */
const previousStart = {
  id: z.uuid().meta({ description: 'Id of the job.' }),
  run_at: instantOutput.meta({ description: 'Previous earliest start, to the millisecond.' }),
  changed_at: instantOutput.meta({
    description: 'Time of the reschedule. A job that was changed later is not restored.',
  }),
}

const instantOf = (name: 'run_at' | 'changed_at') =>
  instantInput.meta({
    type: 'string',
    format: 'date-time',
    description: previousStart[name].meta()?.description,
  })

/** The `previous` of a reschedule, as a client sends it. */
export const previousStartsInput = z
  .array(
    z.strictObject({
      id: previousStart.id,
      run_at: instantOf('run_at'),
      changed_at: instantOf('changed_at'),
    }),
  )
  .min(1)
  .max(limits.actAtOnceMax)

/** The previous state of a cancelled job: returned by the cancel, and sent to undo it. */
const cancelledJob = {
  id: previousStart.id,
  status: z
    .enum(['queued', 'retrying'])
    .meta({ description: 'Previous status. A job that has used attempts is restored as retrying.' }),
  changed_at: instantOutput.meta({
    description: '`updated_at` of the job after the cancel. A job that was changed later is not restored.',
  }),
}

/** The `cancelled` of a cancel, as a client sends it. */
export const cancelledInput = z
  .array(
    z.strictObject({
      ...cancelledJob,
      changed_at: instantInput.meta({
        type: 'string',
        format: 'date-time',
        description: cancelledJob.changed_at.meta()?.description,
      }),
    }),
  )
  .min(1)
  .max(limits.actAtOnceMax)

/** A requeued job: returned by the requeue, and sent to undo it. */
const requeuedJob = {
  id: previousStart.id,
  changed_at: instantOutput.meta({
    description: '`updated_at` of the job after the requeue. A job that was changed later is not restored.',
  }),
}

/** The `requeued` of a requeue, as a client sends it. */
export const requeuedInput = z
  .array(
    z.strictObject({
      ...requeuedJob,
      changed_at: instantInput.meta({
        type: 'string',
        format: 'date-time',
        description: requeuedJob.changed_at.meta()?.description,
      }),
    }),
  )
  .min(1)
  .max(limits.actAtOnceMax)

const actResultSchema = z
  .object({
    count: z
      .int()
      .min(0)
      .meta({
        description: `Number of changed jobs. In a dry run: the number of matching jobs, counted up to ${limits.actCountedMax}.`,
      }),
    is_least: z.boolean().meta({ description: 'In a dry run: whether count is a lower bound.' }),
    by_workers: z.boolean().meta({
      description:
        'Whether workers run the action as an operation. In a dry run: whether they would, even without a rate.',
    }),
    scanned: scannedSchema,
    skipped: z
      .int()
      .min(0)
      .meta({ description: 'Number of jobs that matched, but no longer when they were locked.' }),
    job_ids: z.array(z.uuid()).meta({
      description: `Ids of the changed jobs. In a dry run: up to ${limits.actSampleMax} of the matching jobs.`,
    }),
    previous: z
      .array(
        z
          .object(previousStart)
          .meta({ id: 'PreviousStart', description: 'The previous start of a rescheduled job.' }),
      )
      .meta({
        description:
          'For a reschedule that ran at once: the previous start of each job, to send to POST /jobs/undo-reschedule. ' +
          'Otherwise empty.',
      }),
    cancelled: z
      .array(
        z
          .object(cancelledJob)
          .meta({ id: 'CancelledJob', description: 'The previous state of a cancelled job.' }),
      )
      .meta({
        description:
          'For a cancel that ran at once: the previous state of each job that waited, to send to POST ' +
          '/jobs/undo-cancel. Otherwise empty.',
      }),
    requeued: z
      .array(z.object(requeuedJob).meta({ id: 'RequeuedJob', description: 'A requeued job.' }))
      .meta({
        description:
          'For a requeue that ran at once: the requeued jobs, to send to POST /jobs/undo-requeue. Otherwise empty.',
      }),
    dry_run: z.boolean().meta({ description: 'Whether this was a dry run.' }),
    operation: operationSchema.nullable().meta({
      description: 'The operation that workers run. Null if the action ran at once.',
    }),
  })
  .meta({ id: 'ActResult', description: 'The result of a bulk action or of its dry run.' })

const emptyResult = {
  count: 0,
  is_least: false,
  by_workers: false,
  scanned: null,
  skipped: 0,
  job_ids: [],
  previous: [],
  cancelled: [],
  requeued: [],
  dry_run: false,
}

const actResultExample = { ...emptyResult, count: 1, job_ids: [jobExample.id], operation: null }

/** The response to a bulk action that ran at once. */
export const actDone = {
  status: 200,
  description: 'The result of the action or of its dry run.',
  content: { mediaType: 'application/json', schema: actResultSchema, example: actResultExample },
} as const

/** The responses to a bulk action by filter. */
export const actSuccesses = [
  actDone,
  {
    status: 202,
    description: 'The action became an operation that workers run.',
    headers: { Location: 'Path of the operation.' },
    content: {
      mediaType: 'application/json',
      schema: actResultSchema,
      example: { ...emptyResult, by_workers: true, operation: operationExample },
    },
  },
] as const

export function answerDryRun({ count, isLeast, byWorkers, scanned, sample }: DryRun): Answer {
  const matches = { count, is_least: isLeast, by_workers: byWorkers, scanned: encodeScanned(scanned) }
  return {
    status: 200,
    json: { ...emptyResult, ...matches, job_ids: sample, dry_run: true, operation: null },
  }
}

export function answerMany(result: ManyResult): Answer {
  if (result.outcome === 'done') {
    const { jobIds, skipped, previous, cancelled, requeued } = result
    const done = {
      count: jobIds.length,
      skipped,
      job_ids: jobIds,
      previous: previous.map(encodePrevious),
      cancelled: cancelled.map(encodeCancelled),
      requeued: requeued.map(encodeRequeued),
    }
    return { status: 200, json: { ...emptyResult, ...done, operation: null } }
  }
  const { operation } = result
  return {
    status: 202,
    headers: { location: `/operations/${operation.id}` },
    json: { ...emptyResult, by_workers: true, operation: encodeOperation(operation) },
  }
}

function encodePrevious({ id, runAt, changedAt }: PreviousStart) {
  return { id, run_at: runAt.toISOString(), changed_at: changedAt.toISOString() }
}

function encodeCancelled({ id, status, changedAt }: CancelledJob) {
  return { id, status, changed_at: changedAt.toISOString() }
}

function encodeRequeued({ id, changedAt }: RequeuedJob) {
  return { id, changed_at: changedAt.toISOString() }
}
