import { type Attention, type AttentionCondition, limits } from '@queue/core'
import { attentionConditions, attentionSeverities, instantOutput } from '@queue/core/internal'
import { z } from 'zod'

const conditions = Object.keys(attentionConditions) as [AttentionCondition, ...AttentionCondition[]]

const attentionSchema = z
  .object({
    condition: z.enum(conditions).meta({ description: 'The alert condition.' }),
    severity: z.enum(attentionSeverities).meta({ description: 'Severity of the alert.' }),
    queue: z
      .string()
      .nullable()
      .meta({ description: 'The affected queue. Null if the condition is not about a queue.' }),
    kind: z
      .string()
      .nullable()
      .meta({ description: 'The affected kind. Null if the condition is not about a kind.' }),
    count: z
      .int()
      .min(0)
      .meta({ description: 'Number of affected jobs, attempts, dead letters, workers or schedules.' }),
    count_is_capped: z
      .boolean()
      .meta({ description: `Whether counting stopped at ${limits.attentionCountMax}.` }),
    since: instantOutput.nullable().meta({ description: 'Start of the condition. Null if unknown.' }),
    ends: z.string().meta({ description: 'How to fix it.' }),
    runbook: z.string().meta({ description: 'Name of the runbook in docs/runbooks.' }),
  })
  .meta({ id: 'Attention', description: 'An active alert condition.' })

export const attentionListSchema = z
  .object({
    data: z.array(attentionSchema).meta({ description: 'The active conditions, most severe first.' }),
  })
  .meta({ id: 'AttentionList', description: 'The active alert conditions.' })

type WireAttention = z.output<typeof attentionSchema>

export function encodeAttention({ countIsCapped, since, ...rest }: Attention): WireAttention {
  return {
    ...rest,
    count_is_capped: countIsCapped,
    since: since?.toISOString() ?? null,
  }
}

/** The example of the documentation. */
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
      ends: 'start a worker that serves this queue',
      runbook: 'queue-unserved',
    },
  ],
} satisfies z.output<typeof attentionListSchema>
