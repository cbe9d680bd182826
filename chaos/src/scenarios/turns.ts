import { eventually, findBrokenInvariants } from '@queue/testing'
import { deadlocks } from '../checker/check-limits.ts'
import { chaosJob } from '../fleet/chaos-job.ts'
import { type Claimers, openClaimers, type ClaimRecord } from '../run/claimers.ts'
import { databaseNowMs } from '../run/database-now.ts'
import { withWorld, type World } from '../run/world.ts'
import { type Scenario, type ScenarioContext, type RunResult, resultOf } from './scenario.ts'

const claimers = 8
const limit = 10
const enqueueMax = 1_000
/** The tenant with the large backlog, and the tenant with a single job. */
const largeTenant = 'a'
const singleTenant = 'b'
const tenants = 2
/** The number of jobs of others that may start before the single job, because other claims run at the same time. */
const startsMax = 2 * tenants * limit + (claimers - 1) * limit
const keysOfLarge = 100
/** The number of claims before the single job is enqueued. */
const claimsBefore = 8
const weight = 3
const weightTolerance = 0.1
/** The number of starts for the check of weights. One claim more or less is then much less than a tenth. */
const weighedStarts = 2_000

/** How a large backlog was enqueued, and whether its jobs have keys. */
const forms = {
  keys: { hasKeys: true, isSingle: false },
  'no keys': { hasKeys: false, isSingle: false },
  'single calls': { hasKeys: true, isSingle: true },
} as const satisfies Record<string, Form>

interface Form {
  readonly hasKeys: boolean
  readonly isSingle: boolean
}

/**
 * One tenant has a large backlog in a queue that is fair by tenant, another enqueues one job, and eight workers claim at the same
 * time. Then the other tenant has a backlog too, and a weight.
 */
export const turns: Scenario = {
  number: 33,
  name: 'turns',
  law: 'whoever has one job starts it soon, however many others wait, and weights say the parts',
  counted: 'rounds of each form',
  full: { jobs: 1_000_000, count: 20, minutesMax: 60 },
  reduced: { jobs: 5_000, count: 2, minutesMax: 10 },
  run: (context) => withWorld(context, { name: 'turns' }, (world) => takeTurns(world, context)),
}

async function takeTurns(world: World, { size, progress, signal }: ScenarioContext): Promise<RunResult> {
  const { database } = world
  const faults: string[] = []
  const counts: Record<string, number> = {
    claimers,
    'jobs in a claim': limit,
    'jobs of the large one': size.jobs,
  }
  for (const [name, form] of Object.entries(forms)) {
    const queue = `fair-${name.replace(' ', '-')}`
    await database.queue.limits.set({ queue, scope: 'queue', fairBy: 'tenant' })
    await enqueueMany(world, { ...form, queue, tenantId: largeTenant, count: size.jobs })
    const crew = await openClaimers(database, { count: claimers, queue, limit })
    try {
      let maxStarts = 0
      for (let round = 0; round < size.count; round += 1) {
        signal.throwIfAborted()
        maxStarts = Math.max(maxStarts, await startsBefore(world, crew, { queue, form }))
      }
      counts[`${name}: most starts of others before the one`] = maxStarts
      if (maxStarts > startsMax)
        faults.push(
          `${name}: the single job started after ${maxStarts} jobs of others, ${startsMax} are allowed`,
        )
      const part = await partByWeight(world, crew, { queue, form })
      counts[`${name}: part by weight ${weight}, in hundredths`] = Math.round(100 * part)
      if (Math.abs(part / weight - 1) > weightTolerance)
        faults.push(
          `${name}: with a weight of ${weight}, a tenant got ${part.toFixed(2)} times the share of the other`,
        )
    } finally {
      await crew.close()
    }
    progress(name)
  }
  faults.push(...(await deadlocks(database)), ...(await findBrokenInvariants(database)))
  return resultOf({ counts, faults })
}

interface Backlog extends Form {
  readonly queue: string
  readonly tenantId: string
  readonly count: number
}

async function enqueueMany(
  { database: { queue: jobs, pool, schema } }: World,
  { queue, tenantId, count, hasKeys, isSingle }: Backlog,
): Promise<void> {
  for (let start = 0; start < count; start += enqueueMax) {
    const requests = Array.from({ length: Math.min(enqueueMax, count - start) }, (_, n) => {
      const key = hasKeys ? { key: `k${(start + n) % keysOfLarge}` } : {}
      return chaosJob.create({ key: '', plan: 'succeed', ms: 0 }, { queue, tenantId, ...key })
    })
    await jobs.enqueueMany(requests)
  }
  if (!isSingle) return
  // As if each job was enqueued in a separate call, whose event no claim has processed yet.
  await pool.query(
    `INSERT INTO "${schema}".lane_events (due_at, queue, kind, key, tenant_id, priority)
     SELECT run_at, queue, kind, key, tenant_id, priority FROM "${schema}".all_jobs WHERE queue = $1`,
    [queue],
  )
}

interface Line {
  readonly queue: string
  readonly form: Form
}

/** How many jobs of others started between the enqueue of the single job and its start. */
async function startsBefore({ database }: World, crew: Claimers, { queue, form }: Line): Promise<number> {
  const before = crew.claims.length
  const isOfOther = ({ jobs }: ClaimRecord): boolean => jobs.some(({ tenantId }) => tenantId === singleTenant)
  const working = crew.claimUntil((claims) => claims.slice(before).some(isOfOther))
  await eventually(() => crew.claims.length >= before + claimsBefore, { intervalMs: 1 })
  const options = { queue, tenantId: singleTenant, ...(form.hasKeys ? { key: 'own' } : {}) }
  await database.queue.enqueue(chaosJob, { key: '', plan: 'succeed', ms: 0 }, options)
  const enqueuedMs = await databaseNowMs(database)
  await working
  const inOrder = crew.claims.slice(before).toSorted((claim, next) => claim.atMs - next.atMs)
  return inOrder
    .slice(0, inOrder.findIndex(isOfOther))
    .filter(({ atMs }) => atMs > enqueuedMs)
    .reduce((sum, { jobs }) => sum + jobs.length, 0)
}

/** How many jobs of the weighted tenant start for each job of the other, while both have a backlog. */
async function partByWeight(world: World, crew: Claimers, { queue, form }: Line): Promise<number> {
  await world.database.queue.limits.set({ queue, scope: 'tenant', name: singleTenant, weight })
  await enqueueMany(world, {
    ...form,
    isSingle: false,
    queue,
    tenantId: singleTenant,
    count: 2 * weighedStarts,
  })
  const before = crew.claims.length
  const startsOf = (claims: readonly ClaimRecord[], tenant: string): number =>
    claims
      .slice(before)
      .reduce((sum, { jobs }) => sum + jobs.filter(({ tenantId }) => tenantId === tenant).length, 0)
  await crew.claimUntil(
    (claims) => startsOf(claims, largeTenant) + startsOf(claims, singleTenant) >= weighedStarts,
  )
  return startsOf(crew.claims, singleTenant) / startsOf(crew.claims, largeTenant)
}
