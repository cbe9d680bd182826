import { eventually, findBrokenInvariants } from '@queue/testing'
import { deadlocks } from '../checker/check-limits.ts'
import { chaosJob } from '../fleet/chaos-job.ts'
import { type Claimers, openClaimers, type Taken } from '../run/claimers.ts'
import { databaseNowMs } from '../run/database-now.ts'
import { withWorld, type World } from '../run/world.ts'
import { type Scenario, type ScenarioContext, type Verdict, verdictOf } from './scenario.ts'

const claimers = 8
const limit = 10
const enqueueMax = 1_000
/** Who has all the jobs, and who comes beside. */
const large = 'a'
const other = 'b'
const tenants = 2
/** What other claims take at the same time, beside the one that comes to it. */
const startsMax = 2 * tenants * limit + (claimers - 1) * limit
const keysOfLarge = 100
/** So many claims go before the other one comes. */
const claimsBefore = 8
const weight = 3
const weightTolerance = 0.1
/** Starts by which weights are judged: one claim more or less of either is much less than a tenth. */
const weighedStarts = 2_000

/** How a large backlog has come, and whether its jobs have keys. */
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
 * One tenant has a large backlog in a queue that is fair by tenant, another enqueues one job, and eight workers claim beside each
 * other; then the other has as many, and a weight.
 */
export const turns: Scenario = {
  number: 33,
  name: 'turns',
  law: 'whoever has one job starts it soon, however many others wait, and weights say the parts',
  counted: 'rounds of each form',
  full: { jobs: 1_000_000, count: 20, minutesMax: 60 },
  reduced: { jobs: 20_000, count: 2, minutesMax: 10 },
  run: (context) => withWorld(context, { name: 'turns' }, (world) => takeTurns(world, context)),
}

async function takeTurns(world: World, { size, progress, signal }: ScenarioContext): Promise<Verdict> {
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
    await enqueueMany(world, { ...form, queue, tenantId: large, count: size.jobs })
    const crew = await openClaimers(database, { count: claimers, queue, limit })
    try {
      let most = 0
      for (let round = 0; round < size.count; round += 1) {
        signal.throwIfAborted()
        most = Math.max(most, await startsBefore(world, crew, { queue, form }))
      }
      counts[`${name}: most starts of others before the one`] = most
      if (most > startsMax) faults.push(`${name}: it began after ${most} of others, ${startsMax} are allowed`)
      const part = await partByWeight(world, crew, { queue, form })
      counts[`${name}: part by weight ${weight}, in hundredths`] = Math.round(100 * part)
      if (Math.abs(part / weight - 1) > weightTolerance)
        faults.push(`${name}: a weight of ${weight} gave ${part.toFixed(2)} of the part of the other`)
    } finally {
      await crew.close()
    }
    progress(name)
  }
  faults.push(...(await deadlocks(database)), ...(await findBrokenInvariants(database)))
  return verdictOf({ counts, faults })
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
  // As if each had come in a call of its own, whose event nobody has taken yet.
  await pool.query(
    `INSERT INTO "${schema}".lane_events (due_at, queue, kind, key, tenant_id, priority)
     SELECT run_at, queue, kind, key, tenant_id, priority FROM "${schema}".jobs WHERE queue = $1`,
    [queue],
  )
}

interface Line {
  readonly queue: string
  readonly form: Form
}

/** How many jobs of others were started from when the other one had enqueued its job until that was. */
async function startsBefore({ database }: World, crew: Claimers, { queue, form }: Line): Promise<number> {
  const before = crew.taken.length
  const isOfOther = ({ jobs }: Taken): boolean => jobs.some(({ tenantId }) => tenantId === other)
  const working = crew.work((taken) => taken.slice(before).some(isOfOther))
  await eventually(() => crew.taken.length >= before + claimsBefore, { intervalMs: 1 })
  const options = { queue, tenantId: other, ...(form.hasKeys ? { key: 'own' } : {}) }
  await database.queue.enqueue(chaosJob, { key: '', plan: 'succeed', ms: 0 }, options)
  const enqueuedMs = await databaseNowMs(database)
  await working
  const inOrder = crew.taken.slice(before).toSorted((one, next) => one.atMs - next.atMs)
  return inOrder
    .slice(0, inOrder.findIndex(isOfOther))
    .filter(({ atMs }) => atMs > enqueuedMs)
    .reduce((sum, { jobs }) => sum + jobs.length, 0)
}

/** How many jobs of the other one start for each of the large one, when it has a weight and more of them than start. */
async function partByWeight(world: World, crew: Claimers, { queue, form }: Line): Promise<number> {
  await world.database.queue.limits.set({ queue, scope: 'tenant', name: other, weight })
  await enqueueMany(world, { ...form, isSingle: false, queue, tenantId: other, count: 2 * weighedStarts })
  const before = crew.taken.length
  const startsOf = (taken: readonly Taken[], tenant: string): number =>
    taken
      .slice(before)
      .reduce((sum, { jobs }) => sum + jobs.filter(({ tenantId }) => tenantId === tenant).length, 0)
  await crew.work((taken) => startsOf(taken, large) + startsOf(taken, other) >= weighedStarts)
  return startsOf(crew.taken, other) / startsOf(crew.taken, large)
}
