import { findBrokenInvariants } from '@queue/testing'
import { deadlocks } from '../checker/check-limits.ts'
import { checkJobs, createDoorRecord, findTraces } from '../doors/check-doors.ts'
import { builtApi } from '../fleet/api-process.ts'
import { kinds } from '../doors/kinds.ts'
import { sendDocuments } from '../doors/send-documents.ts'
import { plantInFunctions } from '../mutants/function-texts.ts'
import { startCheckedApi } from '../requests/checked-api.ts'
import { tooFewReason } from '../run/conclude.ts'
import { withWorld } from '../run/world.ts'
import { resultOf, type Scenario } from './scenario.ts'

/** How many faults of a run are told: the first ones say enough. */
const faultsMax = 30

/**
 * Callers send requests with drawn options, each in every way in which a job is enqueued, half of them with a fault: a value
 * beyond its bound, a misspelt name, or options that exclude each other. They edit, move, cancel and requeue jobs, and the API
 * is killed.
 */
export const doors: Scenario = {
  number: 43,
  name: 'doors',
  law: 'an option of a job has one name and one meaning, however the job is enqueued, and acts keep what they are not about',
  counted: 'documents',
  full: { jobs: 0, count: 2_000, minutesMax: 30 },
  reduced: { jobs: 0, count: 20, minutesMax: 5 },
  run: (context) =>
    withWorld(context, { name: 'doors' }, async ({ database }) => {
      await plantInFunctions(database, context.mutation)
      await database.queue.register([kinds.plain, kinds.preset])
      const { defect } = context
      const env = { DATABASE_URL: database.urlAs('api'), DATABASE_POOL_MAX: '10' }
      const api = await startCheckedApi({ env, defect, ...(defect === undefined && { program: builtApi }) })
      const record = createDoorRecord()
      try {
        await sendDocuments({ database, api }, context, record)
        const readers = {
          database,
          request: (method: string, target: string) => api.send({ method, target, process: 0 }),
        }
        const found = [
          ...record.faults,
          ...(await checkJobs(readers, record.known)),
          ...(await findTraces(database, record)),
          ...api.faults,
        ]
        const enough = context.size.count / 10
        const least = (event: string) => ({ [event]: { count: record.counts.get(event) ?? 0, min: enough } })
        return resultOf({
          counts: { jobs: record.known.length, requests: api.sent, ...Object.fromEntries(record.counts) },
          faults: [
            ...found.slice(0, faultsMax),
            ...(await deadlocks(database)),
            ...(await findBrokenInvariants(database)),
          ],
          voidBecause: tooFewReason({
            ...least('taken'),
            ...least('refused'),
            ...least('misspelt'),
            ...least('rolled back'),
            ...least('schedule'),
            ...least('acted on'),
          }),
        })
      } finally {
        await api.stop()
      }
    }),
}
