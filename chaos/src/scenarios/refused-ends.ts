import { isTerminal } from '@queue/core'
import { isPooled, revokePrivilege, type TestPrivilege } from '@queue/test-database'
import { eventually } from '@queue/testing'
import { createClient } from '../run/client.ts'
import { conclude, tooFewReason, uncleanEnds } from '../run/conclude.ts'
import { untilDrained } from '../run/drain.ts'
import { withWorld, type World } from '../run/world.ts'
import type { Scenario, ScenarioContext } from './scenario.ts'

const processes = 2
const jobsPerRefusal = 8
const fleet = { leaseMs: 15_000, heartbeatMs: 1_000 } as const
/** A job that succeeds is written into the history, any other end into its job. */
const ofHistory = { process: 'worker', privilege: 'INSERT', table: 'ended_jobs' } as const
/** The privileges that are revoked in turn. Without the first ones a worker cannot claim either; the second are of ends alone. */
const privileges: readonly (readonly TestPrivilege[])[] = [
  [ofHistory, { process: 'worker', privilege: 'UPDATE', table: 'jobs' }],
  [ofHistory, { process: 'worker', privilege: 'UPDATE', table: 'jobs', columns: ['last_error'] }],
]

/**
 * Workers lose the privilege to record ends while long jobs end, and get it back later. Each end is then recorded with its real
 * outcome, and no job runs again.
 */
export const refusedEnds: Scenario = {
  number: 20,
  name: 'refused-ends',
  law: 'an end that the database refuses is recorded as what it was, and its job does not run again',
  counted: 'refusals',
  full: { jobs: 0, count: 60, minutesMax: 20 },
  reduced: { jobs: 0, count: 2, minutesMax: 10 },
  run: async (context) => {
    if (isPooled()) return { outcome: 'skipped', counts: {}, reason: 'behind a pooler workers are the owner' }
    return withWorld(context, { name: 'refused-ends', fleet }, async (world) => {
      const databaseUrl = world.database.urlAs('worker')
      await Promise.all(Array.from({ length: processes }, () => world.fleet.add({ databaseUrl }).started))
      for (let n = 0; n < context.size.count; n += 1) {
        context.signal.throwIfAborted()
        await refuseEnds(world, context, n)
        context.progress(`${n + 1} of ${context.size.count} refusals`)
      }
      await untilDrained(world.database, context)
      const unclean = uncleanEnds(await world.fleet.stop())
      const keptEnds = world.fleet.incidents('end kept')
      return conclude(world, {
        faults: [...unclean, ...(await runAgain(world))],
        counts: ({ evidence }) => ({
          refusals: context.size.count,
          'ends kept': keptEnds,
          begun: evidence.begun,
        }),
        voidBecause: () => tooFewReason({ 'ends kept': { count: keptEnds, min: context.size.count } }),
      })
    })
  },
}

/** Lets long jobs end while the database refuses to record their ends. */
async function refuseEnds(world: World, { random }: ScenarioContext, n: number): Promise<void> {
  const { database, history, fleet: workers } = world
  const draws = random.fork(`refusal ${n}`)
  const keptBefore = workers.incidents('end kept')
  const ids = await createClient(database.queue, history).enqueue(
    Array.from({ length: jobsPerRefusal }, (_, job) => ({
      key: `k${n} ${job}`,
      plan: draws.pick(['succeed', 'linger', 'fail_always']),
      ms: draws.between(300, 900),
      options: { maxAttempts: 1 },
    })),
  )
  const statuses = async () => (await database.queue.states(ids ?? [])).map(({ status }) => status)
  await eventually(async () => (await statuses()).includes('running'), { intervalMs: 5 })
  const grants: (() => Promise<void>)[] = []
  for (const privilege of privileges[n % privileges.length] ?? []) {
    grants.push(await revokePrivilege(database, privilege))
  }
  history.write({ type: 'nemesis', act: 'revoke' })
  try {
    // As if they had been claimed long ago.
    const running = await database.pool.query(
      `UPDATE "${database.schema}".jobs SET locked_at = locked_at - interval '10 minutes' WHERE status = 'running'`,
    )
    // No end was recorded after the revocation, so these are all running jobs.
    await eventually(() => workers.incidents('end kept') - keptBefore >= (running.rowCount ?? 0))
  } finally {
    for (const grant of grants) await grant()
  }
  await eventually(async () => (await statuses()).every(isTerminal))
}

async function runAgain({ database }: World): Promise<string[]> {
  const { rows } = await database.pool.query(
    `SELECT FROM chaos.effects WHERE phase = 'begun' GROUP BY job_id HAVING count(*) > 1`,
  )
  return rows.length === 0 ? [] : [`${rows.length} jobs whose ends were refused were run again`]
}
