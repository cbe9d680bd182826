import type { DryRun, ManyResult, Operation, PreviousStart } from '@queue/core'
import { limits } from '@queue/core'
import { manyOptionFields, operationActs, operationStates } from '@queue/core/fields'
import { z } from 'zod'
import type { RequestContext } from '../http/request-context.ts'
import type { Answer } from '../http/send.ts'
import { shownFilter } from '../kinds/job-view.ts'
import { encodeScanned, scannedSchema } from './job-filter.ts'
import { jobExample } from './job.ts'
import { anyJson, instantInput, instantOutput } from './values.ts'

export const operationSchema = z
  .object({
    id: z.uuid().meta({ description: 'A UUIDv7: the order of ids is the order of creation.' }),
    act: z.enum(operationActs).meta({ description: 'What is done with each job.' }),
    filter: anyJson.meta({
      description: 'Which jobs. Without the permission payload:read, `***` stands for a key.',
    }),
    run_at: instantOutput.nullable().meta({ description: 'The earliest start that a reschedule sets.' }),
    rate: z
      .int()
      .min(1)
      .nullable()
      .meta({ description: 'Jobs a second, at most; null: as fast as it goes.' }),
    state: z.enum(operationStates).meta({
      description:
        'refused: whoever asked may no longer do it. failed: the database refuses a change. Both have a reason.',
    }),
    expected: z.int().min(0).meta({ description: 'How many jobs its filter found when it was made.' }),
    expected_is_least: z
      .boolean()
      .meta({ description: 'Whether there may have been more than were counted.' }),
    changed: z.int().min(0).meta({ description: 'Jobs that it has changed.' }),
    skipped: z.int().min(0).meta({
      description: 'Jobs that it found, and that were no longer such when it came to change them.',
    }),
    reason: z.string().nullable().meta({ description: 'Why it ended otherwise than it should.' }),
    actor: z.string().nullable().meta({ description: 'The key or the role that asked for it.' }),
    actor_name: z.string().nullable().meta({ description: 'What the key is called.' }),
    created_at: instantOutput.meta({ description: 'When it was asked for.' }),
    finished_at: instantOutput.nullable().meta({ description: 'When it ended; null while it runs.' }),
  })
  .meta({ id: 'Operation', description: 'An act on many jobs, which workers carry out in batches.' })

export type WireOperation = z.output<typeof operationSchema>

type Reader = Pick<RequestContext, 'principal'>

/** An operation in the names and types of the wire, without what its reader may not see of its filter. */
export function encodeOperation(operation: Operation, reader: Reader): WireOperation {
  return {
    id: operation.id,
    act: operation.act,
    filter: shownFilter(operation.filter, reader),
    run_at: operation.runAt?.toISOString() ?? null,
    rate: operation.rate,
    state: operation.state,
    expected: operation.expected,
    expected_is_least: operation.expectedIsLeast,
    changed: operation.changed,
    skipped: operation.skipped,
    reason: operation.reason,
    actor: operation.actor,
    actor_name: operation.actorName,
    created_at: operation.createdAt.toISOString(),
    finished_at: operation.finishedAt?.toISOString() ?? null,
  }
}

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

/** The parameters of an operation's path. Text that is no id names none: 404. */
export const operationIdParameters = z.object({
  id: z.string().meta({
    format: 'uuid',
    description: 'The id of the operation.',
    example: operationExample.id,
  }),
})

/** What every act by filter takes beside its filter. */
export const manyOptions = {
  dry_run: z
    .boolean()
    .optional()
    .meta({
      description: `Change nothing: count the jobs, up to ${limits.actCountedMax}, and name a few.`,
      default: false,
    }),
  rate: manyOptionFields.rate.meta({
    description: 'Jobs a second, at most. With it, it is an operation, however few there are.',
  }),
} as const

/** When a job could start before a reschedule: as it is answered, and as it is sent to take that back. */
const previousStart = {
  id: z.uuid().meta({ description: 'The job.' }),
  run_at: instantOutput.meta({ description: 'When it could start before, to the millisecond.' }),
  changed_at: instantOutput.meta({
    description: 'When it was moved: a job that was changed later is not put back.',
  }),
}

const instantOf = (name: 'run_at' | 'changed_at') =>
  instantInput.meta({
    type: 'string',
    format: 'date-time',
    description: previousStart[name].meta()?.description,
  })

/** What a reschedule has answered as `previous`. */
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

const actResultSchema = z
  .object({
    count: z
      .int()
      .min(0)
      .meta({
        description: `How many jobs were changed; on a dry run, how many would be, counted up to ${limits.actCountedMax}.`,
      }),
    is_least: z.boolean().meta({ description: 'On a dry run: whether there may be more.' }),
    by_workers: z.boolean().meta({
      description: 'Whether workers carry it out; on a dry run, whether they would, also without a rate.',
    }),
    scanned: scannedSchema,
    skipped: z
      .int()
      .min(0)
      .meta({ description: 'Jobs that were found, and were no longer such once locked.' }),
    job_ids: z.array(z.uuid()).meta({
      description: `The jobs that were changed; on a dry run, up to ${limits.actSampleMax} of those that would be.`,
    }),
    previous: z.array(z.object(previousStart).meta({ id: 'PreviousStart' })).meta({
      description:
        'Of a reschedule that was done at once, for each of the jobs: what `POST /jobs/undo-reschedule` takes. Else empty.',
    }),
    dry_run: z.boolean(),
    operation: operationSchema.nullable().meta({
      description: 'The operation that workers carry out; null where everything is done.',
    }),
  })
  .meta({ id: 'ActResult' })

const nothing = {
  count: 0,
  is_least: false,
  by_workers: false,
  scanned: null,
  skipped: 0,
  job_ids: [],
  previous: [],
  dry_run: false,
}

const actResultExample = { ...nothing, count: 1, job_ids: [jobExample.id], operation: null }

/** What an act on many jobs answers that is done. */
export const actDone = {
  status: 200,
  description: 'What was done, or would be.',
  content: { mediaType: 'application/json', schema: actResultSchema, example: actResultExample },
} as const

/** What all acts by filter answer. */
export const actSuccesses = [
  actDone,
  {
    status: 202,
    description: 'An operation, which workers carry out.',
    headers: { Location: 'The path of the operation.' },
    content: {
      mediaType: 'application/json',
      schema: actResultSchema,
      example: { ...nothing, by_workers: true, operation: operationExample },
    },
  },
] as const

export function answerDryRun({ count, isLeast, byWorkers, scanned, sample }: DryRun): Answer {
  const found = { count, is_least: isLeast, by_workers: byWorkers, scanned: encodeScanned(scanned) }
  return { status: 200, json: { ...nothing, ...found, job_ids: sample, dry_run: true, operation: null } }
}

export function answerMany(result: ManyResult, reader: Reader): Answer {
  if (result.outcome === 'done') {
    const { jobIds, skipped, previous } = result
    const done = { count: jobIds.length, skipped, job_ids: jobIds, previous: previous.map(encodePrevious) }
    return { status: 200, json: { ...nothing, ...done, operation: null } }
  }
  const { operation } = result
  return {
    status: 202,
    headers: { location: `/operations/${operation.id}` },
    json: { ...nothing, by_workers: true, operation: encodeOperation(operation, reader) },
  }
}

function encodePrevious({ id, runAt, changedAt }: PreviousStart) {
  return { id, run_at: runAt.toISOString(), changed_at: changedAt.toISOString() }
}
