import { diagnosisCheckMsMax, diagnosisKeptMs } from '../http/limits.ts'
import { databaseProblems, defineOperation } from '../http/operation.ts'
import { diagnosisExample, diagnosisSchema, encodeDiagnosis } from '../wire/diagnosis.ts'

export const getDiagnosis = defineOperation({
  operationId: 'getDiagnosis',
  method: 'get',
  path: '/diagnosis',
  tag: 'Monitoring',
  permission: 'ops:read',
  summary: 'What doctor finds',
  description:
    'The checks of `migrate doctor` of the schema, the server and the queue, as far as the database role of the API may read what ' +
    `they ask for, failures first. Each is a read-only transaction of ${diagnosisCheckMsMax / 1_000} s at most. The answer may be ` +
    `${diagnosisKeptMs / 1_000} s old: all who ask are given the same.`,
  successes: [
    {
      status: 200,
      description: 'The findings, also where they are bad.',
      content: { mediaType: 'application/json', schema: diagnosisSchema, example: diagnosisExample },
    },
  ],
  problems: databaseProblems,
  async handle(_request, { diagnose }) {
    return { status: 200, json: encodeDiagnosis(await diagnose()) }
  },
})
