import { findBrokenInvariants, type TestDatabase } from '@queue/testing'
import { checkIdempotency } from '../checker/check-idempotency.ts'
import { deadlocks } from '../checker/check-limits.ts'
import { followKeys, type TenuresByJob } from '../checker/key-tenures.ts'
import { attackKeys, type KeyedAttack, removeAll, retention } from '../idempotency/keyed-attack.ts'
import { plantInFunctions } from '../mutants/function-texts.ts'
import { type Cuts, createCuts } from '../proxy/cuts.ts'
import { installRowChanges, takeRowChanges } from '../record/row-changes.ts'
import { tooFewReason } from '../run/conclude.ts'
import { withWorld } from '../run/world.ts'
import { type RunResult, resultOf, type Scenario, type ScenarioContext } from './scenario.ts'

const actsPerCut = 20
const cutShare = 0.1

/**
 * Clients request ten idempotency keys with the same and with other bodies, in every way in which a job gets a key. Their
 * jobs are cancelled, stripped, removed and erased. Their sessions are killed, and their connections cut before and after
 * statements and commits.
 */
export const idempotency: Scenario = {
  number: 38,
  name: 'idempotency',
  law: 'an idempotency key makes one job for as long as it is kept, and each answer names that job truthfully',
  counted: 'acts',
  full: { jobs: 0, count: 40_000, minutesMax: 30 },
  reduced: { jobs: 0, count: 300, minutesMax: 10 },
  run: (context) =>
    withWorld(context, { name: 'idempotency' }, async ({ database }) => {
      await installRowChanges(database)
      await plantInFunctions(database, context.mutation)
      const cuts = createCuts({
        random: context.random.fork('cuts'),
        count: context.size.count / actsPerCut,
        share: cutShare,
        kindOf: keyedKind,
        needed: ['enqueue', 'commit'],
      })
      const attacked = await attackKeys(database, context, cuts)
      const present = await readKeys(database)
      await removeAll(database)
      const { byJob, faults } = followKeys(await takeRowChanges(database), retention)
      return evaluate(context, attacked, {
        cuts,
        tenures: byJob,
        faults: [
          ...attacked.faults,
          ...faults,
          ...checkIdempotency(byJob, attacked),
          ...present.filter((id) => !byJob.has(id)).map((id) => `job ${id} was never made`),
          ...(await readKeys(database)).map((id) => `job ${id} has a key past its retention`),
          ...(await deadlocks(database)),
          ...(await findBrokenInvariants(database)),
        ],
      })
    }),
}

function keyedKind(statement: string): string | undefined {
  if (/^commit$/i.test(statement)) return 'commit'
  return /INSERT INTO "queue"\."jobs"|enqueue_jobs|queue\.enqueue\(/.test(statement) ? 'enqueue' : undefined
}

/** The jobs that have a key. */
async function readKeys({ pool, schema }: TestDatabase): Promise<string[]> {
  const { rows } = await pool.query<{ id: string }>(
    `SELECT id FROM "${schema}".all_jobs WHERE idempotency_key IS NOT NULL`,
  )
  return rows.map(({ id }) => id)
}

interface Checked {
  readonly cuts: Cuts
  readonly tenures: TenuresByJob
  readonly faults: readonly string[]
}

function evaluate(
  { size }: ScenarioContext,
  { answers, unanswered, counts }: KeyedAttack,
  { cuts, tenures, faults }: Checked,
): RunResult {
  const outcomes = ['new', 'replayed', 'refused', 'named'] as const
  const answered = Object.fromEntries(
    outcomes.map((name) => [name, answers.filter(({ outcome }) => outcome === name).length]),
  )

  const unknown = new Set(answers.filter(({ fate }) => fate === 'unknown').map(({ request }) => request.name))
  const all = [...tenures.values()].flat()
  const receipts = answers.filter(({ stripped }) => stripped === true).length
  const heard = new Set(answers.filter(isHeardAsNew).map(({ jobId }) => jobId))
  const lost = all.filter(
    ({ jobId, request }) => !heard.has(jobId) && (unanswered.has(request) || unknown.has(request)),
  )
  const enough = size.count / 100
  return resultOf({
    counts: {
      acts: size.count,
      ...counts,
      ...cuts.counts,
      ...answered,
      mismatched: answers.filter(({ mismatched }) => mismatched).length,
      'rolled back': answers.filter(({ fate }) => fate === 'rolled back').length,
      'receipts answered': receipts,
      jobs: all.length,
      'jobs whose answer was lost': lost.length,
    },
    faults,
    voidBecause: tooFewReason({
      ...Object.fromEntries(Object.entries(answered).map(([name, count]) => [name, { count, min: enough }])),
      ...cuts.minimums,
      // Too rare to be asked of the reduced size.
      'receipts answered': { count: receipts, min: Math.floor(size.count / 1_000) },
      'jobs whose answer was lost': { count: lost.length, min: Math.floor(size.count / 1_000) },
      kills: { count: counts.kills, min: size.count / 1_000 },
    }),
  })
}

function isHeardAsNew({ outcome, fate }: KeyedAttack['answers'][number]): boolean {
  return outcome === 'new' && fate === 'committed'
}
