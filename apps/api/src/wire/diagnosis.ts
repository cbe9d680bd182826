import type { Finding } from '@queue/admin'
import { z } from 'zod'
import type { DatedDiagnosis } from '../diagnoses.ts'
import { instantOutput } from './values.ts'

const findingStatuses = [
  'ok',
  'warning',
  'failure',
  'not_permitted',
  'skipped',
] as const satisfies readonly Finding['status'][]

const findingSchema = z
  .object({
    check: z.string().meta({ description: 'Its name, as docs/doctor.md has it. Checks may be added.' }),
    status: z.enum(findingStatuses).meta({
      description:
        'failure: a promise of the queue does not hold, or soon will not. warning: somebody should know. not_permitted: the ' +
        'database role of the API may not read what the check asks for. skipped: there was nothing to check, or no answer in time.',
    }),
    message: z.string().meta({ description: 'One sentence for people; its wording may change.' }),
    cure: z.string().nullable().meta({ description: 'What to do; null where there is nothing to do.' }),
  })
  .meta({ id: 'Finding', description: 'What a check of doctor has found.' })

export const diagnosisSchema = z
  .object({
    schema: z.string().meta({ description: 'The PostgreSQL schema of the queue.' }),
    status: z.enum(['ok', 'warning', 'failure']).meta({
      description: 'The worst of the findings; what could not be checked counts as ok.',
    }),
    checked_at: instantOutput.meta({ description: 'When the checks began, by the clock of the API.' }),
    findings: z.array(findingSchema),
  })
  .meta({
    id: 'Diagnosis',
    description: 'What doctor finds wrong with the schema, the server and the queue.',
  })

type WireDiagnosis = z.output<typeof diagnosisSchema>

/** Failures first, then warnings, then what could not be checked: those of one sort in the order of doctor's report. */
const order: readonly Finding['status'][] = ['failure', 'warning', 'not_permitted', 'skipped', 'ok']

export function encodeDiagnosis({ schema, status, checkedAtMs, findings }: DatedDiagnosis): WireDiagnosis {
  return {
    schema,
    status,
    checked_at: new Date(checkedAtMs).toISOString(),
    findings: findings
      .map(({ check, status: found, message, cure }) => ({ check, status: found, message, cure }))
      .toSorted((a, b) => order.indexOf(a.status) - order.indexOf(b.status)),
  }
}

/** One as the documentation shows it. */
export const diagnosisExample = {
  schema: 'queue',
  status: 'failure',
  checked_at: '2026-01-15T09:30:00.431Z',
  findings: [
    {
      check: 'orphaned_jobs',
      status: 'failure',
      message: '3 jobs running without an active worker, the oldest claimed 2 h ago: nobody recovers them',
      cure: 'start a worker: it takes them over at once',
    },
    { check: 'schema_version', status: 'ok', message: 'version 1, this release 1', cure: null },
  ],
} satisfies WireDiagnosis
