import { setTimeout as wait } from 'node:timers/promises'
import { migrateDown, migrateUp } from '@queue/core'
import { checkSchemaVersion, queueMigrationSet } from '@queue/core/schema'
import {
  type Break,
  breakOff,
  climbTogether,
  holdJobs,
  isWhole,
  type MigrationPath,
  type MigrationPathContext,
  survey,
  type Survey,
  versionOf,
} from '../migrations/migration-path.ts'
import { nextRelease, rehearsalIndex } from '../migrations/next-release.ts'
import { installObserver, waitFaults, watchLocks } from '../migrations/observer.ts'
import type { Random } from '../nemesis/random.ts'
import { createClient } from '../run/client.ts'
import { conclude, uncleanEnds } from '../run/conclude.ts'
import { drained } from '../run/drain.ts'
import { createLoad } from '../run/load.ts'
import { withWorld, type World } from '../run/world.ts'
import type { Scenario, ScenarioContext } from './scenario.ts'

const processes = 2
const runners = 8
/** Nobody may wait for a migration for longer. */
const waitMsMax = 500
/** The backfill of all jobs takes about so many batches. */
const batches = 4
const batchRowsMin = 20
/** In such a share of the climbs a transaction stands in the way of the exclusive locks for so long. */
const heldShare = 0.3
const heldMs = 1_500
const load = {
  mix: ['succeed', 'succeed', 'succeed', 'fail_once', 'snooze_once', 'transact', 'fail_always'],
  msMax: 20,
  maxAttempts: 25,
} as const

/**
 * Clients and workers of this release go on while the schema is brought to the next one and back: each run is broken
 * off somewhere, then eight runners at once complete it. Each step is applied once and whole or not at all, one that is
 * made of batches is gone on with, and nobody waits for a runner for longer than half a second.
 */
export const migrations: Scenario = {
  number: 18,
  name: 'migrations',
  law: 'migrations under load are applied once, and block nobody for longer than 500 ms',
  counted: 'broken-off runs',
  full: { jobs: 20_000, count: 200, minutesMax: 40 },
  reduced: { jobs: 200, count: 7, minutesMax: 10 },
  run: (context) =>
    withWorld(context, { name: 'migrations', fleet: { preparedStatements: true } }, (world) =>
      migrateWhileTheyWork(world, context),
    ),
}

interface Scene extends MigrationPathContext {
  readonly migrationPaths: readonly Surveyed[]
  readonly world: World
  readonly random: Random
}

interface Surveyed {
  readonly migrationPath: MigrationPath
  readonly found: Survey
}

async function migrateWhileTheyWork(world: World, context: ScenarioContext) {
  const { size, random, progress, signal } = context
  const { database, fleet, history } = world
  const observer = await installObserver(database.pool)
  const pathContext: MigrationPathContext = { databaseUrl: database.url, observer }
  await fleet.start(processes)
  const migrationPaths: Surveyed[] = []
  for (const migrationPath of [
    ownSteps(world),
    nextSteps(world, Math.max(batchRowsMin, size.jobs / batches)),
  ])
    migrationPaths.push({ migrationPath, found: await survey(migrationPath, pathContext) })
  const scene: Scene = { ...pathContext, migrationPaths, world, random: random.fork('climbs') }
  const { feed } = createLoad(createClient(database.queue, history), {
    ...load,
    jobs: size.jobs,
    random: random.fork('jobs'),
  })
  const seen: Seen = { faults: [], broken: new Map(), gaveWay: 0 }
  const plan = planOf(scene, size.count)
  const watch = await watchLocks(database.url)
  try {
    for (const [n, climb] of plan.entries()) {
      signal.throwIfAborted()
      await Promise.all([feed((n + 1) / size.count), climbAndGoBack(scene, climb, seen)])
      progress(`${n + 1} of ${size.count} broken-off runs`)
    }
  } finally {
    await watch.close()
  }
  await drained(database, context)
  seen.faults.push(...uncleanEnds(await fleet.stop()))
  seen.faults.push(...waitFaults(watch, waitMsMax))
  return conclude(world, {
    faults: seen.faults,
    counts: () => ({
      ...Object.fromEntries(seen.broken),
      'runners gave way': seen.gaveWay,
      'longest wait of others, ms': Math.round(watch.longestMs),
      'longest delay of the machine, ms': Math.round(watch.delayMs),
    }),
    voidBecause: ({ signs }) => voidReason(seen, watch.waits, signs.begun),
  })
}

interface Seen {
  readonly faults: string[]
  /** Runs that were broken off, by how. */
  readonly broken: Map<string, number>
  gaveWay: number
}

function voidReason({ broken, gaveWay }: Seen, waits: number, begun: number): string | undefined {
  if (broken.size < 4) return `runs were broken off in these ways only: ${[...broken.keys()].join(', ')}`
  if (gaveWay === 0) return 'no runner met a transaction that was in its way'
  if (waits === 0) return 'nobody had to wait for a migration'
  return begun === 0 ? 'no job ran' : undefined
}

/** The steps that there are, in a second schema of the same database, from nothing. */
function ownSteps({ database }: World): MigrationPath {
  const schema = 'chaos_second'
  return {
    name: 'the steps of this release',
    schema,
    bottom: 0,
    top: queueMigrationSet.steps.length,
    leftOver: [],
    order: { steps: 'own' },
    builds: false,
    up: (options) => migrateUp({ ...options, schema }),
    down: (to) =>
      to === 0
        ? database.pool.query(`DROP SCHEMA ${schema} CASCADE`)
        : migrateDown({ connectionString: database.url, schema, to }),
  }
}

/** The steps of a release to come, on the schema that is in use. */
function nextSteps({ database }: World, batchRows: number): MigrationPath {
  const { migrator, version } = nextRelease({ batchRows })
  const { schema, url: connectionString } = database
  const bottom = queueMigrationSet.steps.length
  return {
    name: 'the steps of a next release',
    schema,
    bottom,
    top: version,
    leftOver: [rehearsalIndex, 'migrations_progress'],
    order: { steps: 'next', batchRows },
    builds: true,
    up: (options) => migrator.up({ ...options, schema }),
    down: (to) => migrator.down({ connectionString, schema, to }),
  }
}

interface Planned extends Surveyed {
  readonly at: Break
}

/** Every place at which a run can be broken off, in an order of its own for each round through all of them. */
function planOf({ migrationPaths, random }: Scene, count: number): Planned[] {
  const all = migrationPaths.flatMap(({ migrationPath, found }) =>
    found.breaks.map((at) => ({ migrationPath, found, at })),
  )
  const plan: Planned[] = []
  while (plan.length < count) plan.push(...shuffled(all, random))
  const chosen = plan.slice(0, count)
  // Few runs should still be broken off in every way, and then on each migration path.
  const firstOf = (nameOf: (one: Planned) => string): Planned[] => [
    ...new Map(plan.toReversed().map((one) => [nameOf(one), one])).values(),
  ]
  const ways = firstOf(({ at }) => at.kind)
  const onEach = firstOf(({ migrationPath, at }) => `${migrationPath.name} ${at.kind}`).filter(
    (one) => !ways.includes(one),
  )
  return [...ways, ...onEach, ...chosen].slice(0, count)
}

function shuffled<Item>(items: readonly Item[], random: Random): Item[] {
  return items
    .map((item) => ({ item, at: random.next() }))
    .sort((a, b) => a.at - b.at)
    .map(({ item }) => item)
}

async function climbAndGoBack(
  scene: Scene,
  { migrationPath, found, at }: Planned,
  seen: Seen,
): Promise<void> {
  const { databaseUrl, random, world } = scene
  const where = `${migrationPath.name}, ${at.kind} ${at.at}`
  world.history.write({ type: 'nemesis', act: at.kind, target: where })
  const run = await breakOff(migrationPath, at, scene)
  if (run.ended === 'done') seen.faults.push(`${where}: the run was not broken off`)
  else seen.broken.set(at.kind, (seen.broken.get(at.kind) ?? 0) + 1)
  if (run.ended === 'failed' && !isLoss(run.error))
    seen.faults.push(`${where}: it failed with ${run.error.message}`)
  const reached = await inspect(scene, { migrationPath, found, at }, seen)

  const isInUse = migrationPath.schema === world.database.schema
  // The first climb meets a transaction in its way for certain.
  const isHeld = isInUse && (seen.gaveWay === 0 || random.chance(heldShare))
  const letGo = isHeld ? await holdJobs(databaseUrl, migrationPath.schema) : undefined
  const climbing = climbTogether(migrationPath, runners, databaseUrl)
  if (letGo !== undefined) await wait(heldMs).then(letGo)
  const { applied, waited } = await climbing
  seen.gaveWay += waited
  const expected = Array.from({ length: migrationPath.top - reached }, (_, n) => reached + n + 1)
  if (String(applied.toSorted((a, b) => a - b)) !== String(expected)) {
    seen.faults.push(`${where}: ${runners} runners applied ${String(applied)} of ${String(expected)}`)
  }
  if ((await inspect(scene, { migrationPath, found, at }, seen)) !== migrationPath.top)
    seen.faults.push(`${where}: the runners did not come to the top`)
  await migrationPath.down(migrationPath.bottom)
  if ((await inspect(scene, { migrationPath, found, at }, seen)) !== migrationPath.bottom)
    seen.faults.push(`${where}: the way down did not come to the bottom`)
}

/** The loss of its connection is all that a run that was broken off may tell. */
function isLoss(failure: Error): boolean {
  return 'code' in failure && failure.code === 'database_unavailable'
}

/**
 * The version that the schema is at, once it was compared with what the migration history says and with what this code
 * needs.
 */
async function inspect(
  { observer, world }: Scene,
  { migrationPath, found, at }: Planned,
  seen: Seen,
): Promise<number> {
  const state = await observer.inspect(migrationPath.schema)
  const version = versionOf(state)
  const where = `${migrationPath.name}, ${at.kind} ${at.at}`
  const known = found.catalogs.get(version)
  if (known !== undefined && !isWhole(migrationPath, known, state.catalog))
    seen.faults.push(`${where}: the schema is not what version ${version} consists of`)
  const { status } = await checkSchemaVersion(world.database.queue.database)
  if (status !== 'compatible') seen.faults.push(`${where}: the schema is ${status} for this code`)
  return version
}
