import { eventually } from '@queue/testing'
import { checkRun, describeFaults } from '../checker/check-run.ts'
import { createCuts, type Cuts } from '../proxy/cuts.ts'
import { startFaultProxy } from '../proxy/fault-proxy.ts'
import { createClient } from '../run/client.ts'
import { tooFewReason } from '../run/conclude.ts'
import { untilDrained } from '../run/drain.ts'
import { withWorld, type World } from '../run/world.ts'
import { type Scenario, type ScenarioContext, type RunResult, resultOf } from './scenario.ts'

const processes = 2
const cutShare = 0.04
const jobsPerCut = 10
const enqueueBatch = 100
/** The backlog that keeps both processes busy until the next batch is enqueued. */
const backlogMin = 100
/** Cuts of a claim or a finish use up no attempts, but those of a worker that cannot renew its lease do. */
const maxAttempts = 25

/**
 * Workers reach the database through a network that breaks before and after claims, finishes and lease renewals, also after the
 * commit of a claim while the worker lives on. No job gets stuck, and none ends twice.
 */
export const replyLost: Scenario = {
  number: 5,
  name: 'reply-lost',
  law: 'a claim, a finish or a renewal whose reply was lost leaves no job stuck and ends none twice',
  counted: 'cuts',
  full: { jobs: 0, count: 2_000, minutesMax: 30 },
  reduced: { jobs: 0, count: 20, minutesMax: 10 },
  run: (context) =>
    withWorld(context, { name: 'reply-lost' }, async (world) => {
      const cuts = createCuts({
        random: context.random.fork('cuts'),
        count: context.size.count,
        share: cutShare,
        kindOf: workerKind,
        needed: ['claim', 'finish'],
      })
      const { url } = world.database
      const proxy = await startFaultProxy({ databaseUrl: url, decide: cuts.decide })
      try {
        for (let n = 0; n < processes; n += 1) await world.fleet.add({ databaseUrl: proxy.url }).started
        await enqueueUntilCut(world, context, cuts)
        await untilDrained(world.database, context)
        const uncleanProcessEnds = await world.fleet.stop()
        return await evaluate(world, cuts, uncleanProcessEnds)
      } finally {
        await world.fleet.kill()
        await proxy.close()
      }
    }),
}

/** The kind of a worker's statement, recognized by text that only such statements have. */
function workerKind(statement: string): string | undefined {
  if (statement.includes('SKIP LOCKED') && statement.includes('lease_token + 1')) return 'claim'
  const isEnd = statement.includes('job_executions') || statement.includes('started_at = j.locked_at')
  if (isEnd && statement.includes('lease_token = ')) return 'finish'
  return /^\s*update\b[^]*lease_expires_at/i.test(statement) ? 'renewal' : undefined
}

/** Keeps the workers busy until there were enough cuts. */
async function enqueueUntilCut(world: World, context: ScenarioContext, cuts: Cuts): Promise<void> {
  const client = createClient(world.database.queue, world.history)
  const random = context.random.fork('jobs')
  const jobsMax = Math.max(enqueueBatch, context.size.count * jobsPerCut * 20)
  for (let jobs = 0; !cuts.done && jobs < jobsMax; jobs += enqueueBatch) {
    context.signal.throwIfAborted()
    await client.enqueue(
      Array.from({ length: enqueueBatch }, (_, n) => ({
        key: `k${jobs + n}`,
        plan: random.pick(['succeed', 'succeed', 'fail_once', 'snooze_once', 'transact']),
        ms: random.between(0, 5),
        options: { maxAttempts },
      })),
    )
    await eventually(async () => (await backlog(world)) < backlogMin, { intervalMs: 50 })
    context.progress(`${cuts.total} of ${context.size.count} cuts, ${jobs + enqueueBatch} jobs`)
  }
}

async function backlog({ database }: World): Promise<number> {
  const { rows } = await database.pool.query<{ waiting: number }>(
    `SELECT count(*)::int AS waiting FROM "${database.schema}".all_jobs WHERE status IN ('queued', 'retrying')`,
  )
  return rows[0]?.waiting ?? 0
}

async function evaluate(world: World, cuts: Cuts, uncleanProcessEnds: readonly string[]): Promise<RunResult> {
  await world.history.close()
  const checked = await checkRun(world.database, world.history.path)
  return resultOf({
    counts: {
      jobs: checked.jobs,
      ...cuts.counts,
      recovered: checked.evidence.recovered,
      'late writes refused': world.fleet.incidents('refused'),
    },
    faults: [
      ...describeFaults(checked),
      ...uncleanProcessEnds.map((end) => `a worker did not stop cleanly: ${end}`),
    ],
    voidBecause: tooFewReason(cuts.minimums),
  })
}
