import { type Attention, type AttentionCondition, limits } from '@queue/core'
import { attentionConditions, attentionSeverities } from '@queue/core/fields'
import { z } from 'zod'
import { instantOutput } from './values.ts'

const conditions = Object.keys(attentionConditions) as [AttentionCondition, ...AttentionCondition[]]

const attentionSchema = z
  .object({
    condition: z.enum(conditions),
    severity: z.enum(attentionSeverities),
    queue: z.string().nullable().meta({ description: 'Which queue; null where it is about none.' }),
    kind: z.string().nullable().meta({ description: 'Which kind; null where it is about none.' }),
    count: z
      .int()
      .min(0)
      .meta({ description: 'How many jobs, attempts, dead letters, workers or schedules it is about.' }),
    count_is_capped: z
      .boolean()
      .meta({ description: `Whether there are more than ${limits.attentionCountMax}.` }),
    since: instantOutput.nullable().meta({ description: 'Null where that is not known.' }),
    ends: z.string().meta({ description: 'What ends it.' }),
    runbook: z.string().meta({ description: 'The page in docs/runbooks.' }),
  })
  .meta({ id: 'Attention', description: 'Something that needs somebody.' })

export const attentionListSchema = z.object({ data: z.array(attentionSchema) }).meta({ id: 'AttentionList' })

type WireAttention = z.output<typeof attentionSchema>

export function encodeAttention({ countIsCapped, since, ...rest }: Attention): WireAttention {
  return {
    ...rest,
    count_is_capped: countIsCapped,
    since: since?.toISOString() ?? null,
  }
}

/** One as the documentation shows it. */
export const attentionExample = {
  data: [
    {
      condition: 'queue_unserved',
      severity: 'critical',
      queue: 'mail',
      kind: null,
      count: 41,
      count_is_capped: false,
      since: '2026-01-15T09:30:00.431Z',
      ends: 'a worker that serves the queue',
      runbook: 'queue-unserved',
    },
  ],
} satisfies z.output<typeof attentionListSchema>
