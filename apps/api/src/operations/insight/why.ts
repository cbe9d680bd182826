import { type Reason, type Why, jobStatuses } from '@queue/core'
import { instantOutput, reasonCodes } from '@queue/core/internal'
import { z } from 'zod'
import { encodeExpectedStart, expectedStartSchema } from './expected-start.ts'

const detailsSchema = z.object({
  queue: z.string().nullable().meta({ description: 'Queue of the job.' }),
  kind: z.string().nullable().meta({ description: 'Kind of the job.' }),
  version: z.int().nullable().meta({ description: 'Kind version of the job.' }),
  workers: z.int().nullable().meta({
    description:
      'Number of live workers that can run the job or, if none can, of those that serve the queue.',
  }),
  slots: z.int().nullable().meta({ description: 'Slots of these workers.' }),
  jobs: z
    .int()
    .nullable()
    .meta({
      description:
        'Number of jobs that these workers hold. For a limit: jobs that run under it. For `waits_turn`: due jobs, each ' +
        'counted with its weight.',
    }),
  scope: z.enum(['queue', 'kind', 'key']).nullable().meta({ description: 'Scope of the limit.' }),
  held_by: z
    .array(z.uuid())
    .nullable()
    .meta({
      description:
        'For a limit: up to ten jobs that run under it, longest running first. For ordered jobs: the job that comes ' +
        'first. Null for scoped callers.',
    }),
  limit: z.int().nullable().meta({
    description:
      'Number of jobs that can run under the limit. For `waits_turn`: number of jobs that can start now.',
  }),
  runs: z.array(z.string()).nullable().meta({
    description:
      'Versions of the kind that workers of the queue run: `invoice` is version 1, `invoice/2` is version 2.',
  }),
  elsewhere: z
    .array(z.string())
    .nullable()
    .meta({ description: 'Other queues whose live workers can run the job. Null for scoped callers.' }),
})

const reasonSchema = z
  .object({
    code: z.enum(reasonCodes).meta({ description: 'The reason, for programs.' }),
    blocking: z.boolean().meta({
      description:
        'Whether no worker can claim the job while the reason holds. A reason that is not blocking only delays the job.',
    }),
    message: z.string().meta({ description: 'The reason in one sentence.' }),
    ends: z.string().meta({ description: 'How to fix it.' }),
    since: instantOutput.nullable().meta({ description: 'Start of the condition. Null if unknown.' }),
    until: instantOutput
      .nullable()
      .meta({ description: 'Time when the condition ends by itself. Null if unknown.' }),
    details: detailsSchema.meta({
      description: 'Details of the reason. Members that do not apply are null.',
    }),
  })
  .meta({ id: 'WhyReason', description: 'A reason why a job does not start.' })

/** The reasons why a job does not start, as the API shows them. */
export const whySchema = z
  .object({
    status: z.enum(jobStatuses).meta({ description: 'Status of the job when the reasons were read.' }),
    claimable: z
      .boolean()
      .meta({ description: 'Whether nothing blocks the job. It then starts when a worker reaches it.' }),
    reasons: z.array(reasonSchema).meta({ description: 'The reasons, in the order in which to check them.' }),
    start: expectedStartSchema
      .nullable()
      .meta({ description: 'Position and estimated start of the job. Null if a reason is blocking.' }),
  })
  .meta({ id: 'Why', description: 'The reasons why a job does not start, each with its fix.' })

type WireWhy = z.output<typeof whySchema>

export function encodeWhy({ status, claimable, reasons, start }: Why): WireWhy {
  return {
    status,
    claimable,
    reasons: reasons.map(encodeReason),
    start: start === null ? null : encodeExpectedStart(start),
  }
}

function encodeReason({ since, until, details: about, ...rest }: Reason): WireWhy['reasons'][number] {
  const { heldBy, runs, elsewhere, ...details } = about
  return {
    ...rest,
    since: since?.toISOString() ?? null,
    until: until?.toISOString() ?? null,
    details: { ...details, held_by: copied(heldBy), runs: copied(runs), elsewhere: copied(elsewhere) },
  }
}

const copied = (names: readonly string[] | null): string[] | null => (names === null ? null : [...names])

const aboutNothing = {
  queue: null,
  kind: null,
  version: null,
  workers: null,
  slots: null,
  jobs: null,
  scope: null,
  held_by: null,
  limit: null,
  runs: null,
  elsewhere: null,
} as const

/** One as the documentation shows it. */
export const whyExample = {
  status: 'queued',
  claimable: false,
  reasons: [
    {
      code: 'queue_paused',
      blocking: true,
      message: 'The queue mail is paused.',
      ends: 'resume the queue',
      since: '2026-01-15T09:30:00.431Z',
      until: null,
      details: { ...aboutNothing, queue: 'mail' },
    },
    {
      code: 'version_unserved',
      blocking: true,
      message:
        'None of the 3 live workers of the queue mail runs version 2 of the kind invoice: they run invoice.',
      ends: 'start a worker for this queue with a handler for this version of the kind',
      since: null,
      until: null,
      details: { ...aboutNothing, queue: 'mail', kind: 'invoice', version: 2, workers: 3, runs: ['invoice'] },
    },
  ],
  start: null,
} satisfies WireWhy
