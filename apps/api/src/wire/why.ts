import { jobStatuses, type Reason, type Why } from '@queue/core'
import { reasonCodes } from '@queue/core/fields'
import { z } from 'zod'
import { encodeExpectedStart, expectedStartSchema } from './expected-start.ts'
import { instantOutput } from './values.ts'

const detailsSchema = z.object({
  queue: z.string().nullable().meta({ description: 'Its queue.' }),
  kind: z.string().nullable().meta({ description: 'Its kind.' }),
  version: z.int().nullable().meta({ description: 'The version of its kind.' }),
  workers: z
    .int()
    .nullable()
    .meta({ description: 'How many live workers: those that can run it, or of those none can.' }),
  slots: z.int().nullable().meta({ description: 'The slots of these workers.' }),
  jobs: z.int().nullable().meta({
    description:
      'The jobs that these workers hold; of a limit, those that run under it; of a turn, those that are due, each as often as it weighs.',
  }),
  scope: z.enum(['queue', 'kind', 'key']).nullable().meta({ description: 'What the limit is about.' }),
  held_by: z.array(z.uuid()).nullable().meta({
    description:
      'The jobs that hold the limit: those that have run for longest, ten at most; of an order, the job that is next. Not told to a key with bounds.',
  }),
  limit: z.int().nullable().meta({
    description: 'How many jobs may run under the limit; of a turn, how many it lets start now.',
  }),
  runs: z.array(z.string()).nullable().meta({
    description:
      'What workers of the queue run of the kind: invoice is its first version, invoice/2 the second.',
  }),
  elsewhere: z
    .array(z.string())
    .nullable()
    .meta({ description: 'Other queues whose live workers can run it. Not told to a key with bounds.' }),
})

const reasonSchema = z
  .object({
    code: z.enum(reasonCodes),
    blocking: z.boolean().meta({
      description:
        'Whether nothing takes the job while it holds. One that does not block lets it wait for longer.',
    }),
    message: z.string().meta({ description: 'What is so, in a sentence.' }),
    ends: z.string().meta({ description: 'What ends it.' }),
    since: instantOutput.nullable().meta({ description: 'Null where that is not known.' }),
    until: instantOutput
      .nullable()
      .meta({ description: 'When it ends by itself; null where nobody can say.' }),
    details: detailsSchema.meta({
      description: 'What it is about; null where it is not about such a thing.',
    }),
  })
  .meta({ id: 'WhyReason', description: 'A reason why a job does not start.' })

/** Why a job does not start, as the API shows it. */
export const whySchema = z
  .object({
    status: z.enum(jobStatuses).meta({ description: 'Its state when the reasons were read.' }),
    claimable: z
      .boolean()
      .meta({ description: 'Whether nothing blocks it: it begins once what is before it has been taken.' }),
    reasons: z.array(reasonSchema).meta({ description: 'In the order in which to look at them.' }),
    start: expectedStartSchema
      .nullable()
      .meta({ description: 'Its place and its expected start; null where something blocks it.' }),
  })
  .meta({ id: 'Why', description: 'Why a job does not start, and what would end each reason.' })

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
      ends: 'a worker of the queue with a handler for the kind and its version',
      since: null,
      until: null,
      details: { ...aboutNothing, queue: 'mail', kind: 'invoice', version: 2, workers: 3, runs: ['invoice'] },
    },
  ],
  start: null,
} satisfies WireWhy
