import { afterAll, beforeEach, describe, expect, test } from '@jest/globals'
import { seeded } from '@queue/dev-postgres'
import fc from 'fast-check'
import type pg from 'pg'
import { tenantNames } from '../../src/database/tenant-names.ts'
import type { JobStatus } from '../../src/domain/job.ts'
import { versionedKind } from '../../src/domain/kind-version.ts'
import { type ClaimFacts, readClaimFacts } from '../../src/insight/claim-facts.ts'
import { type ReasonCode, reasonCodes } from '../../src/insight/reason.ts'
import { reasonsOf } from '../../src/insight/reasons.ts'
import { scopeQueue } from '../../src/tenants/scoped-queue.ts'
import { claim, enqueueProbe, enqueueProbes, newWorker } from '../support/builders.ts'
import { testScale } from '../support/scale.ts'
import { openWorld, within } from '../support/world.ts'

const world = await openWorld()
const { queue } = world
afterAll(() => world.close())
beforeEach(() => world.reset())

const hourMs = 3_600_000
const kinds = ['a', 'b', 'c'] as const

/** Draws each value as often as its weight says: fast-check prefers the ends of a range. */
const weighted = <Value>(...values: readonly (readonly [number, Value])[]) =>
  fc.oneof(...values.map(([weight, value]) => ({ weight, arbitrary: fc.constant(value) })))
const trueInPercent = (percent: number) => weighted([percent, true], [100 - percent, false])
const version = weighted([5, 1], [1, 2], [1, 3])

/** A job and, if it runs, its holder: one of the workers, or an unknown one. */
const anyJob = fc.record({
  queue: fc.nat(1),
  kind: fc.constantFrom(...kinds),
  version,
  status: weighted<JobStatus>(
    [20, 'queued'],
    [8, 'retrying'],
    [6, 'running'],
    [1, 'succeeded'],
    [1, 'failed_permanent'],
    [1, 'cancelled'],
  ),
  isDue: trueInPercent(92),
  expiry: weighted<null | 'past' | 'future'>([4, null], [1, 'future'], [1, 'past']),
  areSpent: trueInPercent(4),
  crashes: weighted([2, 0], [1, 1]),
  holder: weighted([3, 0], [3, 1], [2, 2], [1, 3]),
  isToEnd: trueInPercent(20),
  priority: fc.nat(9),
  tenant: weighted([2, null], [1, 'acme'], [1, 'other']),
  key: weighted([3, null], [2, 'k'], [1, 'm']),
  weight: weighted([4, null], [1, 2], [1, 3]),
})

const anyWorker = fc.record({
  state: weighted([10, 'active'], [1, 'stopped'], [1, 'lost']),
  isLeased: trueInPercent(92),
  queues: fc.uniqueArray(fc.nat(1), { minLength: 1, maxLength: 2 }),
  kinds: fc.uniqueArray(
    fc.tuple(fc.constantFrom(...kinds), version).map((kindAndVersion) => versionedKind(...kindAndVersion)),
    { minLength: 1, maxLength: 5 },
  ),
  concurrency: fc.integer({ min: 1, max: 3 }),
})

/**
 * A limit. Each rate is spent for hours, and never unspent: a claim would spend an unspent rate from its own instant
 * on, which is after that of the facts.
 */
const anyLimit = fc
  .record({
    scope: fc.constantFrom('queue', 'kind', 'key', 'each_key'),
    max: weighted([2, null], [2, 1], [1, 2], [1, 5]),
    burst: weighted([3, null], [1, 2], [1, 3]),
    isPaused: trueInPercent(20),
    onRetry: weighted([1, null], [1, 'block'], [1, 'continue']),
    fairBy: weighted([2, null], [1, 'tenant'], [1, 'key']),
    spent: fc.nat(2),
    hasEnded: trueInPercent(20),
  })
  .map(({ scope, max, burst, isPaused, onRetry, fairBy, ...rest }) => {
    const isOfEachKey = scope === 'each_key'
    const limitsNothing =
      max === null && burst === null && !(isPaused && !isOfEachKey) && !(onRetry !== null && isOfEachKey)
    return {
      ...rest,
      scope,
      name: { queue: '', kind: 'a', key: 'k', each_key: '' }[scope],
      max_running: limitsNothing ? 1 : max,
      rate_burst: burst,
      paused_ms: isPaused && !isOfEachKey ? -hourMs : null,
      on_retry: isOfEachKey ? onRetry : null,
      fair_by: scope === 'queue' ? fairBy : null,
    }
  })

const anyQueue = fc.record({
  isRegistered: trueInPercent(96),
  isPaused: trueInPercent(8),
  hasLimits: trueInPercent(40),
  limits: fc.uniqueArray(anyLimit, { maxLength: 3, selector: ({ scope }) => scope }),
})

/** A setup: two queues with workers and jobs of their own. */
const anySetup = fc.record({
  queues: fc.tuple(anyQueue, anyQueue),
  isUnderWay: trueInPercent(50),
  workers: fc.array(anyWorker, { maxLength: 4 }),
  jobs: fc.array(anyJob, { minLength: 8, maxLength: 16 }),
})

type Setup = typeof anySetup extends fc.Arbitrary<infer Value> ? Value : never

let setupCount = 0

/** The rows of a setup, with names and ids that no other setup has. */
function rowsOf(setup: Setup) {
  setupCount += 1
  const prefix = `lot-${setupCount}`
  const queueOf = (n: number): string => `${prefix}-${n}`
  const idOf = (n: number): string =>
    `01900000-0000-7000-8000-${(setupCount * 100 + n).toString(16).padStart(12, '0')}`
  const workers = setup.workers.map(({ isLeased, queues, ...rest }, n) => ({
    ...rest,
    id: `${prefix}-w${n}`,
    queues: queues.map(queueOf),
    lease_ms: isLeased ? hourMs : -hourMs,
  }))
  const jobs = setup.jobs.map((job, n) => {
    const isRunning = job.status === 'running'
    const hasEnded = !isRunning && job.status !== 'queued' && job.status !== 'retrying'
    return {
      id: idOf(n),
      queue: queueOf(job.queue),
      kind: job.kind,
      kind_version: job.version === 1 ? null : job.version,
      status: job.status,
      run_ms: job.isDue ? -hourMs : hourMs,
      expires_ms: job.expiry === null ? null : job.expiry === 'past' ? -hourMs : hourMs,
      attempts: job.areSpent ? 3 : isRunning ? 1 : 0,
      crashes: job.crashes,
      priority: job.priority,
      tenant_id: job.tenant,
      key: job.key,
      weight: job.weight,
      locked_by: isRunning ? `${prefix}-w${job.holder}` : null,
      locked_ms: isRunning ? -hourMs : null,
      finished_ms: hasEnded ? -hourMs : null,
      cancel_requested: isRunning && job.isToEnd,
    }
  })
  const queues = setup.queues.flatMap(({ isRegistered, isPaused }, n) =>
    isRegistered ? [{ name: queueOf(n), paused_ms: isPaused ? -hourMs : null }] : [],
  )
  const limits = setup.queues.flatMap(({ hasLimits, limits: rules }, n) =>
    hasLimits ? rules.map((rule) => ({ ...rule, queue: queueOf(n) })) : [],
  )
  return { workers, jobs, queues, limits, isUnderWay: setup.isUnderWay }
}

type SetupRows = ReturnType<typeof rowsOf>
const after = (column: string): string => `now() + ${column} * interval '1 millisecond'`
const inserts = {
  queues: `INSERT INTO queue.queues (name, paused_at) SELECT name, ${after('paused_ms')}
    FROM jsonb_to_recordset($1) AS r (name text, paused_ms float8)`,
  workers: `INSERT INTO queue.workers (id, hostname, pid, version, zone_version, queues, kinds, concurrency, state, lease_expires_at)
    SELECT id, 'host', 1, '0', '2026a', queues, kinds, concurrency, state, ${after('lease_ms')}
      FROM jsonb_to_recordset($1)
        AS r (id text, queues text[], kinds text[], concurrency int, state text, lease_ms float8)`,
  jobs: `INSERT INTO queue.jobs (id, queue, kind, kind_version, status, run_at, expires_at, attempts, lease_token, crashes,
                                 priority, tenant_id, key, weight, locked_by, locked_at, finished_at, cancel_requested, payload)
    SELECT id, queue, kind, kind_version, status, ${after('run_ms')}, ${after('expires_ms')}, attempts, attempts, crashes,
           priority, tenant_id, key, weight, locked_by, ${after('locked_ms')}, ${after('finished_ms')}, cancel_requested, '{}'
      FROM jsonb_to_recordset($1)
        AS r (id uuid, queue text, kind text, kind_version smallint, status queue.job_status, run_ms float8, expires_ms float8,
              attempts int, crashes smallint, priority smallint, tenant_id text, key text, weight int, locked_by text, locked_ms float8,
              finished_ms float8, cancel_requested bool)`,
  limits: `WITH given AS (
      SELECT * FROM jsonb_to_recordset($1)
        AS r (queue text, scope text, name text, max_running int, rate_burst int, paused_ms float8, on_retry text, fair_by text, spent int,
              "hasEnded" bool)
    ), made AS (
      INSERT INTO queue.limits (queue, scope, name, max_running, rate_count, rate_per_ms, rate_burst, paused_at, on_retry, fair_by)
      SELECT queue, scope, name, max_running, rate_burst * 0 + 1, rate_burst * 0 + ${hourMs}, rate_burst, ${after('paused_ms')},
             on_retry, fair_by FROM given
    ) INSERT INTO given_limits SELECT queue, scope, name, spent, "hasEnded" FROM given`,
} as const

/** Fills the other tables with what follows from jobs and limits, as if no claim had run yet. */
const derivedRows = `
  INSERT INTO queue.job_executions (job_id, lease_token, started_at, finished_at, attempt, worker_id, outcome, error)
  SELECT id, 0, now(), now(), 1, 'w', 'snoozed', 'does not fit' FROM queue.all_jobs WHERE status = 'retrying' AND crashes = 1;
  UPDATE queue.queues AS q SET limited = EXISTS (
    SELECT FROM queue.limits AS l WHERE l.queue = q.name AND l.scope IN ('queue', 'kind'));
  INSERT INTO queue.lane_turns (queue, priority, share, turn)
  SELECT l.queue, p, chr(9), 0 FROM queue.limits AS l, generate_series(0, 9) AS p WHERE l.fair_by = 'tenant';
  INSERT INTO queue.lane_events (due_at, queue, kind, key, tenant_id, priority)
  SELECT run_at, queue, kind, key, coalesce(tenant_id, ''), priority FROM queue.all_jobs
   WHERE status IN ('queued', 'retrying') AND key IS NOT NULL;
  UPDATE queue.jobs AS j SET counted = nullif(
      CASE WHEN EXISTS (SELECT FROM queue.limits AS l WHERE l.queue = j.queue AND l.scope = 'queue' AND l.max_running > 0)
           THEN 1 ELSE 0 END
      + CASE WHEN EXISTS (SELECT FROM queue.limits AS l WHERE l.queue = j.queue AND l.scope = 'kind' AND l.name = j.kind
                             AND l.max_running > 0) THEN 2 ELSE 0 END
      + CASE WHEN EXISTS (SELECT FROM queue.limits AS l WHERE l.queue = j.queue
                             AND (l.scope = 'each_key' OR l.scope = 'key' AND l.name = j.key)
                             AND (l.max_running > 0 OR l.on_retry IS NOT NULL)) AND j.key IS NOT NULL THEN 4 ELSE 0 END, 0)
   WHERE status = 'running';
  WITH places AS (
    SELECT l.queue, l.scope, l.name, '' AS tenant_id, g.spent, g."hasEnded", CASE l.scope WHEN 'queue' THEN 1 ELSE 2 END AS bit
      FROM queue.limits AS l JOIN given_limits AS g USING (queue, scope, name) WHERE l.scope IN ('queue', 'kind')
    UNION ALL
    SELECT DISTINCT ON (j.queue, j.key, j.tenant_id) j.queue, 'key', j.key, coalesce(j.tenant_id, ''), g.spent, g."hasEnded", 4
      FROM queue.all_jobs AS j JOIN given_limits AS g ON g.queue = j.queue AND g.scope IN ('key', 'each_key') WHERE j.key IS NOT NULL
  ), counters AS (
    INSERT INTO queue.limit_counters (queue, scope, name, tenant_id, running, spent_until, held_by)
    SELECT p.queue, p.scope, p.name, p.tenant_id, p."hasEnded"::int + (
             SELECT count(*) FROM queue.all_jobs AS j
              WHERE j.queue = p.queue AND j.counted & p.bit <> 0 AND (p.bit < 2 OR CASE p.bit WHEN 2 THEN j.kind ELSE j.key END = p.name)
                AND (p.bit < 4 OR coalesce(j.tenant_id, '') = p.tenant_id)),
           now() + p.spent * interval '1 hour' + interval '1 minute',
           CASE WHEN p.bit = 4 THEN (
             SELECT j.id FROM queue.all_jobs AS j WHERE j.queue = p.queue AND j.key = p.name AND coalesce(j.tenant_id, '') = p.tenant_id
                AND j.status = 'retrying' AND j.crashes = 1 LIMIT 1) END
      FROM places AS p
  )
  INSERT INTO queue.lane_events (due_at, queue, kind, key, tenant_id, counted, jobs)
  SELECT now(), p.queue, CASE p.bit WHEN 2 THEN p.name ELSE '' END, CASE p.bit WHEN 4 THEN p.name END, p.tenant_id, p.bit, 1
    FROM places AS p WHERE p."hasEnded"`

interface Tally {
  states: number
  claimable: number
  readonly reasons: Record<ReasonCode, number>
}

/** Checks random setups, each in a transaction that is rolled back, until the goal of states and of each reason is reached. */
async function checkSetups(goal: { readonly states: number; readonly each: number }): Promise<Tally> {
  const { seed } = seeded('why')
  const session = await world.session()
  await session.query(
    'CREATE TEMP TABLE given_limits (queue text, scope text, name text COLLATE "C", spent int, "hasEnded" bool)',
  )
  const zeroCounts = Object.fromEntries(reasonCodes.map((code) => [code, 0])) as Record<ReasonCode, number>
  const tally: Tally = { states: 0, claimable: 0, reasons: zeroCounts }
  const isDone = (): boolean =>
    tally.states >= goal.states && Math.min(...Object.values(tally.reasons)) >= goal.each
  for (let round = 0; !isDone(); round += 1) {
    if (tally.states > 20 * goal.states) throw new Error(`void: ${JSON.stringify(tally)}`)
    const [setups = []] = fc.sample(manySetups, { seed: seed + round, numRuns: 1 })
    await session.query('BEGIN')
    await checkRound(session, { rows: setups.map(rowsOf), isReadOnly: round % 10 === 1, tally })
    await session.query('ROLLBACK')
    if (round % 25 === 24)
      await world.sql(
        'TRUNCATE queue.jobs, queue.ended_jobs, queue.workers, queue.limits, queue.limit_counters, queue.lanes, queue.lane_turns, queue.lane_events',
      )
  }
  return tally
}

const manySetups = fc.array(anySetup, { minLength: 12, maxLength: 12 })

interface Round {
  readonly rows: readonly SetupRows[]
  readonly isReadOnly: boolean
  readonly tally: Tally
}

async function checkRound(session: pg.Client, { rows, isReadOnly, tally }: Round): Promise<void> {
  for (const table of ['queues', 'workers', 'jobs', 'limits'] as const) {
    await session.query(inserts[table], [
      JSON.stringify(rows.flatMap((setup): readonly object[] => setup[table])),
    ])
  }
  await session.query(derivedRows)
  for (const setup of rows.filter(({ isUnderWay }) => isUnderWay)) await claimSome(session, setup)
  if (isReadOnly) await session.query('SET LOCAL transaction_read_only = on')
  const ids = rows.flatMap(({ jobs }) => jobs.map(({ id }) => id))
  const facts = await readClaimFacts(within(session), ids)
  expect(facts).toHaveLength(ids.length)
  const claimed = new Set<string>()
  for (const setup of rows) for (const id of await claimAllOf(session, setup)) claimed.add(id)
  for (const job of facts) {
    const reasons = reasonsOf(job)
    const claimable = !reasons.some(({ blocking }) => blocking)
    const mayWait = reasons.some(({ code }) => code === 'waits_turn')
    const isRight = claimable === claimed.has(job.id) || (claimable && mayWait)
    if (!isRight)
      throw new Error(`${claimable ? 'not ' : ''}claimed: ${JSON.stringify({ one: job, reasons })}`)
    tally.states += 1
    if (claimable) tally.claimable += 1
    for (const { code } of reasons) tally.reasons[code] += 1
  }
  await compareWithView(session, facts, rows)
}

/** Claims that are not rolled back: the answer must not depend on the lanes and counters that they leave. */
async function claimSome(session: pg.Client, { workers }: SetupRows): Promise<void> {
  for (const { id, queues, kinds: runnable } of workers) {
    await claim({ database: within(session) }, id, { queues, kinds: runnable, limit: 2 })
  }
}

/** The jobs that the next claims of each worker take, each worker alone. */
async function claimAllOf(session: pg.Client, { workers }: SetupRows): Promise<string[]> {
  const claimedIds: string[] = []
  for (const { id, queues, kinds: runnable } of workers) {
    const { rows } = await session.query(`SELECT FROM queue.all_jobs WHERE locked_by = $1 AND crashes > 0`, [
      id,
    ])
    await session.query('SAVEPOINT claiming')
    // As a worker does: see `CrashedJobs`.
    const overrides = { queues, kinds: runnable, eligible: rows.length > 0 ? 'steady' : 'any' } as const
    // One claim reads only some of many lanes, so claims are repeated until they find nothing.
    for (let empty = 0; empty < 2; ) {
      const claiming = claim({ database: within(session) }, id, overrides).catch((error: unknown) => {
        expect(error).toMatchObject({ code: 'database_unavailable' })
        return undefined
      })
      const jobs = await claiming
      if (jobs === undefined) break
      if (jobs.length === 0) empty += 1
      claimedIds.push(...jobs.map((one) => one.id))
    }
    await session.query('ROLLBACK TO claiming')
  }
  return claimedIds
}

/** A tenant must read the same facts about its own jobs, and none about others. */
async function compareWithView(
  session: pg.Client,
  facts: readonly ClaimFacts[],
  rows: readonly SetupRows[],
): Promise<void> {
  await session.query(`SET LOCAL queue.tenant = 'acme'`)
  const database = within(session)
  const throughView = await readClaimFacts(
    { ...database, names: tenantNames(database.names, 'queue') },
    facts.map(({ id }) => id),
  )
  const tenants = new Map(rows.flatMap(({ jobs }) => jobs.map((job) => [job.id, job.tenant_id])))
  const ownFacts = facts.filter(({ id }) => tenants.get(id) === 'acme')
  expect(byId(throughView)).toEqual(
    byId(ownFacts.map((one) => ({ ...one, elsewhere: null, holders: null, due: null }))),
  )
}

const byId = (facts: readonly ClaimFacts[]): ClaimFacts[] => facts.toSorted((a, b) => (a.id < b.id ? -1 : 1))

test('nothing blocks a job exactly when the next claim of some worker takes it', async () => {
  const seen = await checkSetups({ states: 500 * testScale, each: Math.min(100, testScale) })
  process.stderr.write(`why: ${JSON.stringify(seen)}\n`)
  expect(seen.claimable).toBeGreaterThan(seen.states / 40)
}, 3_600_000)

describe('why a job does not start', () => {
  const codesOf = async (id: string) => (await queue.why(id))?.reasons.map(({ code }) => code)

  test('is empty when the job is next, and then its place is shown', async () => {
    await newWorker(world)
    const [, second] = await enqueueProbes(world, 2)
    expect(await queue.why(second?.id ?? '')).toEqual({
      status: 'queued',
      claimable: true,
      reasons: [],
      start: { place: 1, startsPerMinute: null, expectedAt: null, unknown: 'no_rate' },
    })
    expect(await queue.why('01900000-0000-7000-8000-000000000000')).toBeUndefined()
    expect(await queue.why('none')).toBeUndefined()
  })

  test('lists each condition that fails, with when it ends and what ends it', async () => {
    const job = await enqueueProbe(world, { delayMs: hourMs, queue: 'mail' })
    await newWorker(world, { queues: ['other'] })
    expect(await queue.why(job.id)).toMatchObject({
      claimable: false,
      start: null,
      reasons: [
        { code: 'not_due', blocking: true, until: job.runAt, ends: 'wait for its start, or run it now' },
        { code: 'queue_unknown', details: { queue: 'mail' } },
        { code: 'no_worker', details: { queue: 'mail', elsewhere: ['other'] } },
      ],
    })
    await newWorker(world, { queues: ['mail'], kinds: ['probe/2', 'other'] })
    await queue.pause('mail')
    expect(await queue.why(job.id)).toMatchObject({
      reasons: [
        { code: 'not_due' },
        { code: 'queue_paused', since: expect.any(Date) },
        {
          code: 'version_unserved',
          message: expect.stringContaining('runs version 1 of the kind probe: they run probe/2.'),
          details: { workers: 1, runs: ['probe/2'], elsewhere: ['other'] },
        },
      ],
    })
  })

  test('is that the job runs, or is cancelled but still runs, or has ended', async () => {
    const worker = await newWorker(world, { concurrency: 1 })
    const [first, second] = await enqueueProbes(world, 2)
    await claim(world, worker, { limit: 1 })
    expect(await codesOf(first?.id ?? '')).toEqual(['running'])
    expect(await queue.why(second?.id ?? '')).toMatchObject({
      claimable: true,
      reasons: [{ code: 'slots_full', blocking: false, details: { workers: 1, slots: 1, jobs: 1 } }],
      start: { place: 0 },
    })
    await queue.cancel(first?.id ?? '')
    await world.sql(`UPDATE queue.workers SET lease_expires_at = now() WHERE id = $1`, [worker])
    expect(await codesOf(first?.id ?? '')).toEqual(['running', 'cancel_requested', 'owner_lost'])
    await queue.cancel(second?.id ?? '')
    expect(await queue.why(second?.id ?? '')).toMatchObject({
      reasons: [{ code: 'cancelled', ends: 'requeue the job', since: expect.any(Date) }],
    })
    await world.sql(
      `UPDATE queue.jobs SET cancel_reason = 'expired', expires_at = finished_at WHERE id = $1`,
      [second?.id ?? ''],
    )
    expect(await queue.why(second?.id ?? '')).toMatchObject({
      reasons: [{ code: 'cancelled', ends: 'requeue the job with a later expiry' }],
    })
  })

  test('names the limit that holds it back, and never its key', async () => {
    await newWorker(world)
    await queue.limits.set({ queue: 'default', scope: 'each_key', ordered: { onRetry: 'block' } })
    await queue.limits.set({
      queue: 'default',
      scope: 'queue',
      maxRunning: 9,
      rate: { count: 1, perMs: hourMs, burst: 1 },
    })
    const [first, second] = await enqueueProbes(world, 2, { key: 'secret' })
    expect(await queue.why(first?.id ?? '')).toMatchObject({
      claimable: true,
      reasons: [{ code: 'waits_turn', blocking: false, details: { limit: 1, jobs: 2 } }],
    })
    expect(await codesOf(second?.id ?? '')).toEqual(['behind_in_order', 'waits_turn'])
    // No other job of its key comes before a job that is not due.
    const delayed = await enqueueProbe(world, { key: 'later', delayMs: hourMs })
    expect(await codesOf(delayed.id)).toEqual(['not_due', 'waits_turn'])
    expect((await queue.why(second?.id ?? ''))?.reasons[0]).toMatchObject({
      details: { heldBy: [first?.id] },
    })
    await claim(world, await newWorker(world))
    const why = await queue.why(second?.id ?? '')
    expect(why?.reasons).toMatchObject([
      { code: 'rate_spent', until: expect.any(Date), details: { scope: 'queue', queue: 'default' } },
      {
        code: 'behind_in_order',
        message: 'The jobs of this key start in order, and another job is running.',
        ends: 'wait for that job to end',
        details: { scope: 'key', limit: null, heldBy: [first?.id] },
      },
    ])
    expect(JSON.stringify(why)).not.toContain('secret')
  })

  test('names up to ten jobs that hold a limit, the longest running ones, but not to a tenant', async () => {
    await queue.limits.set({ queue: 'default', scope: 'queue', maxRunning: 11 })
    await queue.limits.set({ queue: 'default', scope: 'kind', name: 'probe', maxRunning: 1 })
    await enqueueProbes(world, 1, { queue: 'other' })
    const [first] = await enqueueProbes(world, 1)
    const worker = await newWorker(world, { queues: ['default', 'other'] })
    expect(await claim(world, worker, { queues: ['default', 'other'] })).toHaveLength(2)
    await queue.limits.delete({ queue: 'default', scope: 'kind', name: 'probe' })
    const more = await enqueueProbes(world, 10)
    expect(await claim(world, worker)).toHaveLength(10)
    await queue.limits.set({ queue: 'default', scope: 'kind', name: 'probe', maxRunning: 1 })
    const ownJob = await enqueueProbe(world, { tenantId: 'acme' })
    const [ofQueue, ofKind] = (await queue.why(ownJob.id))?.reasons ?? []
    const inOrder = [first?.id, ...more.map(({ id }) => id)].slice(0, 10)
    expect(ofQueue).toMatchObject({
      code: 'limit_full',
      details: { scope: 'queue', jobs: 11, heldBy: inOrder },
    })
    expect(ofKind).toMatchObject({
      code: 'limit_full',
      details: { scope: 'kind', jobs: 11, heldBy: inOrder },
    })
    const forTenant = await scopeQueue(queue, { tenantId: 'acme' }).why(ownJob.id)
    expect(forTenant?.reasons[0]).toMatchObject({ code: 'limit_full', details: { jobs: 11, heldBy: null } })
  })

  test('tells a tenant of its own jobs alone, and of the queues of others nothing', async () => {
    const job = await enqueueProbe(world, { tenantId: 'acme', queue: 'mail' })
    await newWorker(world, { queues: ['secret'] })
    const why = await scopeQueue(queue, { tenantId: 'acme' }).why(job.id)
    expect(why?.reasons.map(({ code }) => code)).toEqual(['queue_unknown', 'no_worker'])
    expect(JSON.stringify(why)).not.toContain('secret')
    expect(await scopeQueue(queue, { tenantId: 'other' }).why(job.id)).toBeUndefined()
  })

  test.each([
    ['a tenant', { tenantId: 'acme' }],
    ['a key with kinds', { kinds: ['probe'] }],
    ['a key with queues', { queues: ['default'] }],
  ])('tells %s nothing of how many jobs of others are due', async (_name, scope) => {
    await queue.limits.set({ queue: 'default', scope: 'queue', maxRunning: 1 })
    const ownJob = await enqueueProbe(world, { tenantId: 'acme' })
    const reasons = async () => (await scopeQueue(queue, scope).why(ownJob.id))?.reasons
    const alone = await reasons()
    await enqueueProbes(world, 7, { tenantId: 'other' })
    expect(await reasons()).toEqual(alone)
    expect(await codesOf(ownJob.id)).toContain('waits_turn')
  })
})
