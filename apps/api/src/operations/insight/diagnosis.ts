import { instantOutput } from '@queue/core/internal'
import type { Finding } from '@queue/admin'
import { z } from 'zod'
import type { DatedDiagnosis } from '../../diagnoses.ts'

const findingStatuses = [
  'ok',
  'warning',
  'failure',
  'not_permitted',
  'skipped',
] as const satisfies readonly Finding['status'][]

const findingSchema = z
  .object({
    check: z
      .string()
      .meta({ description: 'Name of the check, as in docs/doctor.md. New releases can add checks.' }),
    status: z.enum(findingStatuses).meta({
      description:
        '`ok`: nothing is wrong. `failure`: a guarantee of the queue does not hold, or soon will not. `warning`: ' +
        'somebody should look at it. `not_permitted`: the database role of the API lacks a privilege for the check. ' +
        '`skipped`: nothing to check, or no result in time.',
    }),
    message: z.string().meta({ description: 'One sentence for people. The wording can change.' }),
    cure: z.string().nullable().meta({ description: 'How to fix it. Null if nothing has to be done.' }),
  })
  .meta({ id: 'Finding', description: 'The result of one doctor check.' })

export const diagnosisSchema = z
  .object({
    schema: z.string().meta({ description: 'PostgreSQL schema of the queue.' }),
    status: z.enum(['ok', 'warning', 'failure']).meta({
      description: 'The most severe status of the findings. `not_permitted` and `skipped` count as `ok`.',
    }),
    checked_at: instantOutput.meta({ description: 'Time when the checks began, by the clock of the API.' }),
    findings: z.array(findingSchema).meta({ description: 'The findings: failures first, then warnings.' }),
  })
  .meta({
    id: 'Diagnosis',
    description: 'The result of the doctor checks of the schema, the server and the queue.',
  })

type WireDiagnosis = z.output<typeof diagnosisSchema>

/** Failures first, then warnings, then unchecked ones. Findings with one status keep the order of the doctor. */
const order: readonly Finding['status'][] = ['failure', 'warning', 'not_permitted', 'skipped', 'ok']

export function encodeDiagnosis({ schema, status, checkedAtMs, findings }: DatedDiagnosis): WireDiagnosis {
  return {
    schema,
    status,
    checked_at: new Date(checkedAtMs).toISOString(),
    findings: findings
      .map(({ check, status: findingStatus, message, cure }) => ({
        check,
        status: findingStatus,
        message,
        cure,
      }))
      .toSorted((a, b) => order.indexOf(a.status) - order.indexOf(b.status)),
  }
}

/** The example of the documentation. */
export const diagnosisExample = {
  schema: 'queue',
  status: 'failure',
  checked_at: '2026-01-15T09:30:00.431Z',
  findings: [
    {
      check: 'orphaned_jobs',
      status: 'failure',
      message:
        '3 jobs running without an active worker, the oldest claimed 2 h ago, and recovery has not run',
      cure: 'start a worker: it recovers them at once',
    },
    { check: 'schema_version', status: 'ok', message: 'version 1, this release 1', cure: null },
  ],
} satisfies WireDiagnosis
