import { createQueue, type Queue } from '@queue/core'
import { carryOutOperation, expireJobs, pruneJobs, recoverJobs, databaseOf } from '@queue/core/internal'
import { eventually, findBrokenInvariants, type TestDatabase } from '@queue/testing'
import { deadlocks } from '../checker/check-limits.ts'
import { uniqueCounts, wrongUniqueKeys } from '../checker/check-unique.ts'
import { plantInFunctions } from '../mutants/function-texts.ts'
import { createMutatedPool } from '../mutants/mutated-pool.ts'
import { tooFewReason } from '../run/conclude.ts'
import { sessionName } from '../run/kill-sessions.ts'
import { type AttackResult, attackPoolMax, attackUniqueKeys } from '../unique/unique-attack.ts'
import { uniqueWindowMs } from '../unique/unique-doors.ts'
import { withWorld } from '../run/world.ts'
import { type Scenario, type ScenarioContext, type RunResult, resultOf } from './scenario.ts'

const emptiedWithin = { deadlineMs: 60_000, intervalMs: 50 }

/**
 * Clients request ten unique keys with every scope and policy, through every way in which a job gets a key, and cancel, edit,
 * requeue, delete and prune the jobs, one or many at a time. Their sessions and those of the workers are killed.
 */
export const unique: Scenario = {
  number: 36,
  name: 'unique',
  law: 'a unique key has one holder at a time, each answer was true when it was given, and no slot outlives its job',
  counted: 'acts',
  full: { jobs: 0, count: 40_000, minutesMax: 30 },
  reduced: { jobs: 0, count: 200, minutesMax: 10 },
  run: (context) =>
    withWorld(context, { name: 'unique' }, async ({ database }) => {
      const mutated = createMutatedPool(database.url, context.mutation)
      const pool = mutated.open({ max: attackPoolMax, name: sessionName })
      const queue = createQueue({ pool })
      try {
        await plantInFunctions(database, context.mutation)
        const attacked = await attackUniqueKeys({ database, queue, pool }, context)
        const faults = await faultsOf(database, attacked)
        return evaluate(context, attacked, [...faults, ...(await remove(database, queue))])
      } finally {
        await queue.close()
        await pool.end()
        await mutated.pool.end()
      }
    }),
}

async function faultsOf(database: TestDatabase, attacked: AttackResult): Promise<string[]> {
  return [
    ...attacked.faults,
    ...(await wrongUniqueKeys(database, attacked, uniqueWindowMs)),
    ...(await strandedSlots(database)),
    ...(await deadlocks(database)),
    ...(await findBrokenInvariants(database)),
  ]
}

/** The slots that name no job with their key. */
async function strandedSlots({ pool, schema }: TestDatabase): Promise<string[]> {
  const { rows } = await pool.query<{ key: string; job_id: string }>(
    `SELECT s.key, s.job_id FROM "${schema}".job_unique_slots AS s
      WHERE NOT EXISTS (SELECT FROM "${schema}".all_jobs AS j WHERE j.id = s.job_id AND j.unique_key = s.key)`,
  )
  return rows.map(
    ({ key, job_id: id }) => `the slot of the unique key ${key} names job ${id}, which does not have it`,
  )
}

/** Ends all jobs, and lets retention remove them. Resolves with the faults of what is left. */
async function remove(database: TestDatabase, queue: Queue): Promise<string[]> {
  const { pool, schema } = database
  await pool.query(`UPDATE "${schema}".workers SET lease_expires_at = now() - interval '1 second'`)
  const all = { succeededMs: 0, cancelledMs: 0, failedMs: 0, keyMs: null }
  const isEmpty = async (): Promise<boolean> => {
    await recoverJobs(databaseOf(queue))
    await expireJobs(databaseOf(queue))
    await queue.many.cancel({}, { all: true })
    while ((await carryOutOperation(databaseOf(queue))) !== undefined);
    await pruneJobs(databaseOf(queue), all, null)
    const { rows } = await pool.query(`SELECT FROM "${schema}".all_jobs LIMIT 1`)
    return rows.length === 0
  }
  await eventually(isEmpty, { ...emptiedWithin, what: 'the removal of all jobs' })
  return [...(await strandedSlots(database)), ...(await findBrokenInvariants(database))]
}

function evaluate({ size }: ScenarioContext, attacked: AttackResult, faults: string[]): RunResult {
  const { answers, claims, refusals, kills } = attacked
  const outcomes = ['new', 'returned', 'refused', 'replaced', 'rescheduled'] as const
  const answered = Object.fromEntries(
    outcomes.map((name) => [name, answers.filter(({ outcome }) => outcome === name).length]),
  )
  const enough = size.count / 200
  const saying = (said: string): number => claims.filter(({ says }) => says === said).length
  const requeues = saying('was requeued')
  return resultOf({
    counts: {
      acts: size.count,
      kills,
      ...attacked.counts,
      ...answered,
      ...uniqueCounts(answers),
      requeues,
      'requeues refused': refusals.length,
      'cancels undone': saying('waited again'),
    },
    faults,
    voidBecause: tooFewReason({
      ...Object.fromEntries(Object.entries(answered).map(([name, count]) => [name, { count, min: enough }])),
      requeues: { count: requeues, min: enough },
      // Too rare to be asked of the reduced size.
      'requeues refused': { count: refusals.length, min: Math.floor(size.count / 1_000) },
      kills: { count: kills, min: size.count / 1_000 },
    }),
  })
}
