import { diagnosisCheckMsMax, diagnosisKeptMs } from '../../http/limits.ts'
import { databaseProblems, defineOperation } from '../../http/operation.ts'
import { diagnosisExample, diagnosisSchema, encodeDiagnosis } from './diagnosis.ts'

export const getDiagnosis = defineOperation({
  operationId: 'getDiagnosis',
  method: 'get',
  path: '/diagnosis',
  tag: 'Monitoring',
  permission: 'ops:read',
  load: 'heavy',
  summary: 'Run the doctor checks',
  description:
    'Runs the `queue-migrate doctor` checks of the schema, the server and the queue, as far as the database role of the ' +
    'API has the privileges, and lists failures first. Each check is a read-only transaction of at most ' +
    `${diagnosisCheckMsMax / 1_000} s. All callers share one result for ${diagnosisKeptMs / 1_000} s.`,
  successes: [
    {
      status: 200,
      description: 'The findings. The status is 200 even if checks failed.',
      content: { mediaType: 'application/json', schema: diagnosisSchema, example: diagnosisExample },
    },
  ],
  problems: databaseProblems,
  async handle(_request, { diagnose }) {
    return { status: 200, json: encodeDiagnosis(await diagnose()) }
  },
})
