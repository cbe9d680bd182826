import { setTimeout as wait } from 'node:timers/promises'
import { migrateDown, migrateUp } from '@queue/core'
import { checkSchemaVersion, queueMigrationSet, databaseOf } from '@queue/core/internal'
import {
  type Interruption,
  interruptRun,
  migrateConcurrently,
  holdJobs,
  matchesCatalog,
  type MigrationPath,
  type MigrationPathContext,
  surveyPath,
  type PathSurvey,
  versionOf,
} from '../migrations/migration-path.ts'
import { nextRelease, rehearsalIndex } from '../migrations/next-release.ts'
import { installObserver, waitFaults, watchLocks } from '../migrations/observer.ts'
import type { Random } from '../nemesis/random.ts'
import { createClient } from '../run/client.ts'
import { conclude, uncleanEnds } from '../run/conclude.ts'
import { untilDrained } from '../run/drain.ts'
import { createLoad } from '../run/load.ts'
import { withWorld, type World } from '../run/world.ts'
import type { Scenario, ScenarioContext } from './scenario.ts'

const processes = 2
const runners = 8
/** The longest time that a session may wait for a migration, in milliseconds. */
const waitMsMax = 500
/** The approximate number of batches of the backfill. */
const batches = 4
const batchRowsMin = 20
/** In this share of the migrations, a transaction blocks exclusive locks for this long, in milliseconds. */
const heldShare = 0.3
const heldMs = 1_500
const load = {
  mix: ['succeed', 'succeed', 'succeed', 'fail_once', 'snooze_once', 'transact', 'fail_always'],
  msMax: 20,
  maxAttempts: 25,
} as const

/**
 * Clients and workers of this release keep running while the schema is migrated to the next release and back. Each run is
 * interrupted at some point, then eight runners complete it at the same time. Each step is applied once and completely or not
 * at all, a batched step resumes where it stopped, and no session waits for a runner for longer than half a second.
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

interface MigrationRun extends MigrationPathContext {
  readonly migrationPaths: readonly SurveyedPath[]
  readonly world: World
  readonly random: Random
}

interface SurveyedPath {
  readonly migrationPath: MigrationPath
  readonly survey: PathSurvey
}

async function migrateWhileTheyWork(world: World, context: ScenarioContext) {
  const { size, random, progress, signal } = context
  const { database, fleet, history } = world
  const observer = await installObserver(database.pool)
  const pathContext: MigrationPathContext = { databaseUrl: database.url, observer }
  await fleet.start(processes)
  const migrationPaths: SurveyedPath[] = []
  for (const migrationPath of [
    ownSteps(world),
    nextSteps(world, Math.max(batchRowsMin, size.jobs / batches)),
  ])
    migrationPaths.push({ migrationPath, survey: await surveyPath(migrationPath, pathContext) })
  const scene: MigrationRun = { ...pathContext, migrationPaths, world, random: random.fork('climbs') }
  const { feed } = createLoad(createClient(database.queue, history), {
    ...load,
    jobs: size.jobs,
    random: random.fork('jobs'),
  })
  const observations: Observations = { faults: [], broken: new Map(), gaveWay: 0 }
  const plan = planOf(scene, size.count)
  const watch = await watchLocks(database.url)
  try {
    for (const [n, climb] of plan.entries()) {
      signal.throwIfAborted()
      await Promise.all([feed((n + 1) / size.count), interruptAndComplete(scene, climb, observations)])
      progress(`${n + 1} of ${size.count} broken-off runs`)
    }
  } finally {
    await watch.close()
  }
  await untilDrained(database, context)
  observations.faults.push(...uncleanEnds(await fleet.stop()))
  observations.faults.push(...waitFaults(watch, waitMsMax))
  return conclude(world, {
    faults: observations.faults,
    counts: () => ({
      ...Object.fromEntries(observations.broken),
      'runners gave way': observations.gaveWay,
      'longest wait of others, ms': Math.round(watch.longestMs),
      'longest delay of the machine, ms': Math.round(watch.delayMs),
    }),
    voidBecause: ({ evidence }) => voidReason(observations, watch.waits, evidence.begun),
  })
}

interface Observations {
  readonly faults: string[]
  /** The number of interrupted runs by kind of interruption. */
  readonly broken: Map<string, number>
  gaveWay: number
}

function voidReason({ broken, gaveWay }: Observations, waits: number, begun: number): string | undefined {
  if (broken.size < 4) return `runs were interrupted in these ways only: ${[...broken.keys()].join(', ')}`
  if (gaveWay === 0) return 'no runner was blocked by a transaction'
  if (waits === 0) return 'no session had to wait for a migration'
  return begun === 0 ? 'no job ran' : undefined
}

/** The steps of this release, in a second schema of the same database, from an empty schema. */
function ownSteps({ database }: World): MigrationPath {
  const schema = 'chaos_second'
  return {
    name: 'the steps of this release',
    schema,
    bottom: 0,
    top: queueMigrationSet.steps.length,
    mayRemain: [],
    runnerConfig: { steps: 'own' },
    buildsIndex: false,
    up: (options) => migrateUp({ ...options, schema }),
    down: (to) =>
      to === 0
        ? database.pool.query(`DROP SCHEMA ${schema} CASCADE`)
        : migrateDown({ connectionString: database.url, schema, to }),
  }
}

/** The steps of the next release, on the schema in use. */
function nextSteps({ database }: World, batchRows: number): MigrationPath {
  const { migrator, version } = nextRelease({ batchRows })
  const { schema, url: connectionString } = database
  const bottom = queueMigrationSet.steps.length
  return {
    name: 'the steps of a next release',
    schema,
    bottom,
    top: version,
    mayRemain: [rehearsalIndex, 'migrations_progress'],
    runnerConfig: { steps: 'next', batchRows },
    buildsIndex: true,
    up: (options) => migrator.up({ ...options, schema }),
    down: (to) => migrator.down({ connectionString, schema, to }),
  }
}

interface PlannedInterruption extends SurveyedPath {
  readonly interruption: Interruption
}

/** Every point at which a run can be interrupted, in a new random order for each round through all of them. */
function planOf({ migrationPaths, random }: MigrationRun, count: number): PlannedInterruption[] {
  const all = migrationPaths.flatMap(({ migrationPath, survey }) =>
    survey.interruptions.map((interruption) => ({ migrationPath, survey, interruption })),
  )
  const plan: PlannedInterruption[] = []
  while (plan.length < count) plan.push(...shuffled(all, random))
  const chosen = plan.slice(0, count)
  // Also a few runs should have every kind of interruption first, and then each kind on each migration path.
  const firstOf = (nameOf: (planned: PlannedInterruption) => string): PlannedInterruption[] => [
    ...new Map(plan.toReversed().map((planned) => [nameOf(planned), planned])).values(),
  ]
  const ways = firstOf(({ interruption }) => interruption.kind)
  const onEach = firstOf(
    ({ migrationPath, interruption }) => `${migrationPath.name} ${interruption.kind}`,
  ).filter((planned) => !ways.includes(planned))
  return [...ways, ...onEach, ...chosen].slice(0, count)
}

function shuffled<Item>(items: readonly Item[], random: Random): Item[] {
  return items
    .map((item) => ({ item, at: random.next() }))
    .sort((a, b) => a.at - b.at)
    .map(({ item }) => item)
}

async function interruptAndComplete(
  scene: MigrationRun,
  { migrationPath, survey, interruption }: PlannedInterruption,
  observations: Observations,
): Promise<void> {
  const { databaseUrl, random, world } = scene
  const label = `${migrationPath.name}, ${interruption.kind} ${interruption.at}`
  world.history.write({ type: 'nemesis', act: interruption.kind, target: label })
  const run = await interruptRun(migrationPath, interruption, scene)
  if (run.ended === 'done') observations.faults.push(`${label}: the run was not interrupted`)
  else observations.broken.set(interruption.kind, (observations.broken.get(interruption.kind) ?? 0) + 1)
  if (run.ended === 'failed' && !isLoss(run.error))
    observations.faults.push(`${label}: it failed with ${run.error.message}`)
  const reachedVersion = await inspect(scene, { migrationPath, survey, interruption }, observations)

  const isInUse = migrationPath.schema === world.database.schema
  // The first migration is always blocked by a transaction.
  const isHeld = isInUse && (observations.gaveWay === 0 || random.chance(heldShare))
  const release = isHeld ? await holdJobs(databaseUrl, migrationPath.schema) : undefined
  const climbing = migrateConcurrently(migrationPath, runners, databaseUrl)
  if (release !== undefined) await wait(heldMs).then(release)
  const { applied, waited } = await climbing
  observations.gaveWay += waited
  const expected = Array.from(
    { length: migrationPath.top - reachedVersion },
    (_, n) => reachedVersion + n + 1,
  )
  if (String(applied.toSorted((a, b) => a - b)) !== String(expected)) {
    observations.faults.push(`${label}: ${runners} runners applied ${String(applied)} of ${String(expected)}`)
  }
  if ((await inspect(scene, { migrationPath, survey, interruption }, observations)) !== migrationPath.top)
    observations.faults.push(`${label}: the runners did not reach the top version`)
  await migrationPath.down(migrationPath.bottom)
  if ((await inspect(scene, { migrationPath, survey, interruption }, observations)) !== migrationPath.bottom)
    observations.faults.push(`${label}: the migration down did not reach the bottom version`)
}

/** The loss of its connection is the only error that an interrupted run may have. */
function isLoss(failure: Error): boolean {
  return 'code' in failure && failure.code === 'database_unavailable'
}

/**
 * The version of the schema. Compares its content with that of the version in the migration history, and checks that this code
 * can run on it.
 */
async function inspect(
  { observer, world }: MigrationRun,
  { migrationPath, survey, interruption }: PlannedInterruption,
  observations: Observations,
): Promise<number> {
  const state = await observer.inspect(migrationPath.schema)
  const version = versionOf(state)
  const label = `${migrationPath.name}, ${interruption.kind} ${interruption.at}`
  const known = survey.catalogs.get(version)
  if (known !== undefined && !matchesCatalog(migrationPath, known, state.catalog))
    observations.faults.push(`${label}: the schema does not have the content of version ${version}`)
  const { status } = await checkSchemaVersion(databaseOf(world.database.queue))
  if (status !== 'compatible') observations.faults.push(`${label}: the schema is ${status} for this code`)
  return version
}
