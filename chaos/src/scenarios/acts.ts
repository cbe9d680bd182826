import { findBrokenInvariants, type TestDatabase } from '@queue/testing'
import { isDeepStrictEqual } from 'node:util'
import { openActLoad } from '../acts/act-load.ts'
import { checkActs, type CheckedActs, type Tables } from '../acts/check-acts.ts'
import { finishedOperations } from '../acts/finished-operations.ts'
import { findSharedKeys } from '../acts/live-keys.ts'
import { prepareQueues } from '../acts/population.ts'
import type { Records } from '../acts/records.ts'
import { createRowVersions } from '../acts/row-versions.ts'
import { deadlocks } from '../checker/check-limits.ts'
import { createMutatedPool } from '../mutants/mutated-pool.ts'
import { deletedDeadLetters } from '../checker/deleted-dead-letters.ts'
import { installRowChanges, type Row, takeRowChanges } from '../record/row-changes.ts'
import { tooFewReason } from '../run/conclude.ts'
import { withWorld } from '../run/world.ts'
import { type Scenario, type ScenarioContext, type RunResult, resultOf } from './scenario.ts'

const actsPerRound = 200
const faultsMax = 20

/**
 * Acts on many beside acts on one, claims and ends, all on the same few jobs. A trigger records each change of a row with the
 * act that made it: each was selected by its filter as the row was then, each was counted, and none was left out. An undo
 * restores the whole row, and its dead letter, if nothing has changed the job since the act.
 */
export const acts: Scenario = {
  number: 35,
  name: 'acts',
  law: 'an act on many changes exactly the jobs that its filter selects when it changes them, and counts them exactly',
  counted: 'acts',
  full: { jobs: 0, count: 40_000, minutesMax: 40 },
  reduced: { jobs: 0, count: 400, minutesMax: 10 },
  run: (context) => withWorld(context, { name: 'acts' }, ({ database }) => act(database, context)),
}

async function act(database: TestDatabase, context: ScenarioContext): Promise<RunResult> {
  const { size, random, signal, progress, mutation } = context
  await installRowChanges(database)
  await prepareQueues(database.queue)
  const mutated = createMutatedPool(database.url, mutation)
  const load = openActLoad(mutated, random)
  const tables = { jobs: createRowVersions(), deadLetters: createRowVersions() }
  const total = { faults: [] as string[], many: 0, changed: 0, restored: 0, contested: 0, refused: 0 }
  try {
    for (let done = 0; done < size.count && total.faults.length === 0; done += actsPerRound) {
      signal.throwIfAborted()
      const records = await load.run(
        actsPerRound,
        tables.jobs.latest().map(({ row }) => row),
      )
      const { faults, changed, restored, contested } = await checkRound(database, tables, records)
      total.faults.push(...faults)
      total.many += records.many.length
      total.changed += changed
      total.restored += restored
      total.contested += contested
      total.refused += records.refused
      progress(`${done + actsPerRound} of ${size.count} acts`)
    }
  } finally {
    await load.close()
    await mutated.pool.end()
  }
  const { faults, many, ...counts } = total
  return resultOf({
    counts: { acts: size.count, 'acts on many': many, ...counts },
    faults: [
      ...faults.slice(0, faultsMax),
      ...(await deadlocks(database)),
      ...(await findBrokenInvariants(database, deletedDeadLetters)),
    ],
    voidBecause: tooFewReason({
      'restored jobs': { count: counts.restored, min: size.count / 50 },
      'changed jobs': { count: counts.changed, min: size.count / 8 },
      'jobs that others changed meanwhile': { count: counts.contested, min: size.count / 10 },
    }),
  })
}

/** Checks the changes of a round against its answers, and the tables against the changes. */
async function checkRound(
  database: TestDatabase,
  tables: Omit<Tables, 'audited'>,
  records: Records,
): Promise<CheckedActs> {
  const changes = await takeRowChanges(database)
  const shared = findSharedKeys(
    tables.jobs.latest().map(({ row }) => row),
    changes,
  )
  const unknown = [
    ...tables.jobs.add(changes.filter(({ table }) => table === 'jobs')),
    ...tables.deadLetters.add(changes.filter(({ table }) => table === 'dead_letter_jobs')),
  ]
  records.many.push(...(await finishedOperations(database, records)))
  const checked = checkActs({ ...tables, audited: await readAudited(database) }, changes, records)
  const faults = [
    ...unknown,
    ...shared,
    ...checked.faults,
    ...(await findRemains(database)),
    ...(await compareTables(database, tables)),
    ...(await findBrokenInvariants(database, deletedDeadLetters)),
  ]
  tables.jobs.forgetPast()
  tables.deadLetters.forgetPast()
  return { ...checked, faults }
}

async function readAudited({ pool }: TestDatabase): Promise<Map<string, number>> {
  const { rows } = await pool.query<{ request: string; count: number }>(
    'SELECT request_id AS request, sum(count)::int AS count FROM queue.audit_log WHERE request_id IS NOT NULL GROUP BY request_id',
  )
  return new Map(rows.map(({ request, count }) => [request, count]))
}

/** What was written about jobs that do not exist any more. Nothing is removed here but by acts on many. */
async function findRemains({ pool }: TestDatabase): Promise<string[]> {
  const written = ['job_executions', 'job_logs', 'job_metadata', 'dead_letter_jobs', 'job_unique_slots']
  const { rows } = await pool.query<{ id: string; name: string }>(
    written
      .map(
        (name) => `SELECT x.job_id AS id, '${name}' AS name FROM queue.${name} AS x
                    WHERE NOT EXISTS (SELECT FROM queue.all_jobs AS j WHERE j.id = x.job_id)`,
      )
      .join(' UNION '),
  )
  return rows.map(({ id, name }) => `a row of ${name} is left of job ${id}, which is gone`)
}

/** The rows must be those that the recorded changes have left. */
async function compareTables({ pool }: TestDatabase, tables: Omit<Tables, 'audited'>): Promise<string[]> {
  const compare = async (name: string, expected: readonly Row[]): Promise<string[]> => {
    const { rows } = await pool.query<{ row: Row }>(`SELECT to_jsonb(t) AS row FROM queue.${name} AS t`)
    const byId = new Map(rows.map(({ row }) => [row['id'], row]))
    const isSame =
      rows.length === expected.length && expected.every((row) => isDeepStrictEqual(byId.get(row['id']), row))
    return isSame ? [] : [`${name} has other rows than its changes have left`]
  }
  const rowsOf = (versions: Tables['jobs']): Row[] => versions.latest().map(({ row }) => row)
  return [
    ...(await compare('all_jobs', rowsOf(tables.jobs))),
    ...(await compare('dead_letter_jobs', rowsOf(tables.deadLetters))),
  ]
}
