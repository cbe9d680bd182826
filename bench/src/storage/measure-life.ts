import { reportProgress } from '@queue/core/internal'
import type { Costs } from '../compare/costs.ts'
import { type JobSort, payloadOf, storedJob } from './job-sorts.ts'
import type { World } from './world.ts'

/** What a step costs for each job. */
export type StepCost = Pick<Costs, 'walBytes' | 'buffers' | 'statements'>

/** The steps of a life in their order; `progress` is empty for jobs that report none. */
export const steps = ['enqueue', 'claim', 'progress', 'finish'] as const
export type Step = (typeof steps)[number]

export interface Life {
  readonly sort: string
  readonly perStep: Readonly<Record<Step, StepCost>>
  /** Of a job that has succeeded, with its indexes and all rows that belong to it, after VACUUM. */
  readonly diskBytes: number
}

/** How many jobs are enqueued, claimed and finished at a time. */
export const lifeBatch = 500

/** Measures the life of `count` jobs of a sort, in batches. */
export async function measureLife(world: World, sort: JobSort, count: number): Promise<Life> {
  const { queue, claimer, database, pool } = world
  const emptyBytes = await schemaBytes(world)
  const sums = createSums(world)
  for (let made = 0; made < count; made += lifeBatch) {
    const jobs = Array.from({ length: lifeBatch }, (_, n) =>
      storedJob.create(payloadOf(sort.payloadBytes), sort.options?.(made + n)),
    )
    await sums.measure('enqueue', () => queue.enqueueMany(jobs))
  }
  await pool.query('ANALYZE')
  for (let ended = 0; ended < count; ) {
    const { jobs } = await sums.measure('claim', () => claimer.claim(lifeBatch))
    if (jobs.length === 0) throw new Error(`only ${ended} of ${count} jobs could be claimed`)
    if (sort.hasProgress) {
      const writes = jobs.map(({ lease }) => ({ lease, percent: 50, message: 'half of it is done' }))
      await sums.measure('progress', () => reportProgress(database, writes))
    }
    await sums.measure('finish', () => claimer.finish(jobs, sort.resultText))
    ended += jobs.length
  }
  await pool.query('VACUUM')
  const diskBytes = ((await schemaBytes(world)) - emptyBytes) / count
  return { sort: sort.name, perStep: sums.perJob(count), diskBytes }
}

/** Adds the costs of the batches of each step. */
function createSums({ counters }: World) {
  const none: StepCost = { walBytes: 0, buffers: 0, statements: 0 }
  const sums: Record<Step, StepCost> = { enqueue: none, claim: none, progress: none, finish: none }
  return {
    measure: async <Result>(step: Step, run: () => Promise<Result>): Promise<Result> => {
      const result = await counters.measure(run)
      sums[step] = combined(sums[step], counters.costs(), (sum, cost) => sum + cost)
      return result
    },
    perJob: (count: number) =>
      Object.fromEntries(
        steps.map((step) => [step, combined(sums[step], none, (sum) => sum / count)]),
      ) as Record<Step, StepCost>,
  }
}

/** The cost of all steps together. */
export function wholeLife({ perStep }: Life): StepCost {
  return steps
    .map((step) => perStep[step])
    .reduce((sum, cost) => combined(sum, cost, (left, right) => left + right))
}

function combined(
  left: StepCost,
  right: StepCost,
  combine: (left: number, right: number) => number,
): StepCost {
  return {
    walBytes: combine(left.walBytes, right.walBytes),
    buffers: combine(left.buffers, right.buffers),
    statements: combine(left.statements, right.statements),
  }
}

/** All relations of the schema, with their indexes and what is stored out of line. */
async function schemaBytes({ pool }: World): Promise<number> {
  const { rows } = await pool.query<{ bytes: number }>(
    `SELECT sum(pg_total_relation_size(oid))::float8 AS bytes FROM pg_catalog.pg_class
      WHERE relnamespace = 'queue'::regnamespace AND relkind = 'r'`,
  )
  return rows[0]?.bytes ?? Number.NaN
}
