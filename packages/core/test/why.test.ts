import { afterAll, beforeEach, describe, expect, test } from '@jest/globals'
import { seeded } from '@queue/dev-postgres'
import fc from 'fast-check'
import type pg from 'pg'
import { tenantNames } from '../src/database/tenant-names.ts'
import type { JobStatus } from '../src/domain/job.ts'
import { versionedKind } from '../src/domain/kind-version.ts'
import { scopeQueue } from '../src/tenants/scoped-queue.ts'
import { type ClaimFacts, readClaimFacts } from '../src/why/claim-facts.ts'
import { type ReasonCode, reasonCodes } from '../src/why/reason.ts'
import { reasonsOf } from '../src/why/reasons.ts'
import { claim, enqueueProbe, enqueueProbes, registered } from './support/builders.ts'
import { testScale } from './support/scale.ts'
import { openWorld, within } from './support/world.ts'

const world = await openWorld()
const { queue } = world
afterAll(() => world.close())
beforeEach(() => world.reset())

const hourMs = 3_600_000
const kinds = ['a', 'b', 'c'] as const

/** Each value as often as its weight says: fast-check takes the ends of a range more often. */
const weighted = <Value>(...values: readonly (readonly [number, Value])[]) =>
  fc.oneof(...values.map(([weight, value]) => ({ weight, arbitrary: fc.constant(value) })))
const oftenTrue = (percent: number) => weighted([percent, true], [100 - percent, false])
const version = weighted([5, 1], [1, 2], [1, 3])

/** A job, and who holds it if it runs: one of the workers, or somebody who is gone. */
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
  isDue: oftenTrue(92),
  expiry: weighted<null | 'past' | 'future'>([4, null], [1, 'future'], [1, 'past']),
  areSpent: oftenTrue(4),
  crashes: weighted([2, 0], [1, 1]),
  holder: weighted([3, 0], [3, 1], [2, 2], [1, 3]),
  isToEnd: oftenTrue(20),
  priority: fc.nat(9),
  tenant: weighted([2, null], [1, 'acme'], [1, 'other']),
  key: weighted([3, null], [2, 'k'], [1, 'm']),
  weight: weighted([4, null], [1, 2], [1, 3]),
})

const anyWorker = fc.record({
  state: weighted([10, 'active'], [1, 'stopped'], [1, 'lost']),
  isLeased: oftenTrue(92),
  queues: fc.uniqueArray(fc.nat(1), { minLength: 1, maxLength: 2 }),
  kinds: fc.uniqueArray(
    fc.tuple(fc.constantFrom(...kinds), version).map((one) => versionedKind(...one)),
    { minLength: 1, maxLength: 5 },
  ),
  concurrency: fc.integer({ min: 1, max: 3 }),
})

/**
 * What is spent of a rate is so for hours, and always something: else a claim would spend it from its own instant on, which is after
 * that of the facts.
 */
const anyLimit = fc
  .record({
    scope: fc.constantFrom('queue', 'kind', 'key', 'each_key'),
    max: weighted([2, null], [2, 1], [1, 2], [1, 5]),
    burst: weighted([3, null], [1, 2], [1, 3]),
    isPaused: oftenTrue(20),
    onRetry: weighted([1, null], [1, 'block'], [1, 'continue']),
    fairBy: weighted([2, null], [1, 'tenant'], [1, 'key']),
    spent: fc.nat(2),
    hasEnded: oftenTrue(20),
  })
  .map(({ scope, max, burst, isPaused, onRetry, fairBy, ...rest }) => {
    const ofEach = scope === 'each_key'
    const isNothing =
      max === null && burst === null && !(isPaused && !ofEach) && !(onRetry !== null && ofEach)
    return {
      ...rest,
      scope,
      name: { queue: '', kind: 'a', key: 'k', each_key: '' }[scope],
      max_running: isNothing ? 1 : max,
      rate_burst: burst,
      paused_ms: isPaused && !ofEach ? -hourMs : null,
      on_retry: ofEach ? onRetry : null,
      fair_by: scope === 'queue' ? fairBy : null,
    }
  })

const anyQueue = fc.record({
  isRegistered: oftenTrue(96),
  isPaused: oftenTrue(8),
  hasLimits: oftenTrue(40),
  limits: fc.uniqueArray(anyLimit, { maxLength: 3, selector: ({ scope }) => scope }),
})

/** Two queues, with workers and jobs that are nobody else's business. */
const anyLot = fc.record({
  queues: fc.tuple(anyQueue, anyQueue),
  isUnderWay: oftenTrue(50),
  workers: fc.array(anyWorker, { maxLength: 4 }),
  jobs: fc.array(anyJob, { minLength: 8, maxLength: 16 }),
})

type Lot = typeof anyLot extends fc.Arbitrary<infer Value> ? Value : never

let made = 0

/** The rows of a lot, by names and ids that no other has. */
function rowsOf(one: Lot) {
  made += 1
  const prefix = `lot-${made}`
  const queueOf = (n: number): string => `${prefix}-${n}`
  const idOf = (n: number): string =>
    `01900000-0000-7000-8000-${(made * 100 + n).toString(16).padStart(12, '0')}`
  const workers = one.workers.map(({ isLeased, queues, ...rest }, n) => ({
    ...rest,
    id: `${prefix}-w${n}`,
    queues: queues.map(queueOf),
    lease_ms: isLeased ? hourMs : -hourMs,
  }))
  const jobs = one.jobs.map((given, n) => {
    const isRunning = given.status === 'running'
    const hasEnded = !isRunning && given.status !== 'queued' && given.status !== 'retrying'
    return {
      id: idOf(n),
      queue: queueOf(given.queue),
      kind: given.kind,
      kind_version: given.version === 1 ? null : given.version,
      status: given.status,
      run_ms: given.isDue ? -hourMs : hourMs,
      expires_ms: given.expiry === null ? null : given.expiry === 'past' ? -hourMs : hourMs,
      attempts: given.areSpent ? 3 : isRunning ? 1 : 0,
      crashes: given.crashes,
      priority: given.priority,
      tenant_id: given.tenant,
      key: given.key,
      weight: given.weight,
      locked_by: isRunning ? `${prefix}-w${given.holder}` : null,
      locked_ms: isRunning ? -hourMs : null,
      finished_ms: hasEnded ? -hourMs : null,
      cancel_requested: isRunning && given.isToEnd,
    }
  })
  const queues = one.queues.flatMap(({ isRegistered, isPaused }, n) =>
    isRegistered ? [{ name: queueOf(n), paused_ms: isPaused ? -hourMs : null }] : [],
  )
  const limits = one.queues.flatMap(({ hasLimits, limits: rules }, n) =>
    hasLimits ? rules.map((rule) => ({ ...rule, queue: queueOf(n) })) : [],
  )
  return { workers, jobs, queues, limits, isUnderWay: one.isUnderWay }
}

type Rows = ReturnType<typeof rowsOf>
const after = (column: string): string => `now() + ${column} * interval '1 millisecond'`
const inserts = {
  queues: `INSERT INTO queue.queues (name, paused_at) SELECT name, ${after('paused_ms')}
    FROM jsonb_to_recordset($1) AS r (name text, paused_ms float8)`,
  workers: `INSERT INTO queue.workers (id, hostname, pid, version, queues, kinds, concurrency, state, lease_expires_at)
    SELECT id, 'host', 1, '0', queues, kinds, concurrency, state, ${after('lease_ms')}
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

/** What of the other tables follows from jobs and limits, as if no claim had looked yet. */
const settle = `
  UPDATE queue.queues AS q SET limited = EXISTS (
    SELECT FROM queue.limits AS l WHERE l.queue = q.name AND l.scope IN ('queue', 'kind'));
  INSERT INTO queue.lane_turns (queue, priority, share, turn)
  SELECT l.queue, p, chr(9), 0 FROM queue.limits AS l, generate_series(0, 9) AS p WHERE l.fair_by = 'tenant';
  INSERT INTO queue.lane_events (due_at, queue, kind, key, tenant_id, priority)
  SELECT run_at, queue, kind, key, coalesce(tenant_id, ''), priority FROM queue.jobs
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
      FROM queue.jobs AS j JOIN given_limits AS g ON g.queue = j.queue AND g.scope IN ('key', 'each_key') WHERE j.key IS NOT NULL
  ), counters AS (
    INSERT INTO queue.limit_counters (queue, scope, name, tenant_id, running, spent_until, held_by)
    SELECT p.queue, p.scope, p.name, p.tenant_id, p."hasEnded"::int + (
             SELECT count(*) FROM queue.jobs AS j
              WHERE j.queue = p.queue AND j.counted & p.bit <> 0 AND (p.bit < 2 OR CASE p.bit WHEN 2 THEN j.kind ELSE j.key END = p.name)
                AND (p.bit < 4 OR coalesce(j.tenant_id, '') = p.tenant_id)),
           now() + p.spent * interval '1 hour' + interval '1 minute',
           CASE WHEN p.bit = 4 THEN (
             SELECT j.id FROM queue.jobs AS j WHERE j.queue = p.queue AND j.key = p.name AND coalesce(j.tenant_id, '') = p.tenant_id
                AND j.status = 'retrying' AND j.crashes = 1 LIMIT 1) END
      FROM places AS p
  )
  INSERT INTO queue.lane_events (due_at, queue, kind, key, tenant_id, counted, jobs)
  SELECT now(), p.queue, CASE p.bit WHEN 2 THEN p.name ELSE '' END, CASE p.bit WHEN 4 THEN p.name END, p.tenant_id, p.bit, 1
    FROM places AS p WHERE p."hasEnded"`

interface Seen {
  states: number
  claimable: number
  readonly reasons: Record<ReasonCode, number>
}

/** Plays rounds, each in a transaction that is undone, until so many states and so many of each reason have been seen. */
async function playRounds(goal: { readonly states: number; readonly each: number }): Promise<Seen> {
  const { seed } = seeded('why')
  const session = await world.session()
  await session.query(
    'CREATE TEMP TABLE given_limits (queue text, scope text, name text COLLATE "C", spent int, "hasEnded" bool)',
  )
  const none = Object.fromEntries(reasonCodes.map((code) => [code, 0])) as Record<ReasonCode, number>
  const seen: Seen = { states: 0, claimable: 0, reasons: none }
  const isDone = (): boolean =>
    seen.states >= goal.states && Math.min(...Object.values(seen.reasons)) >= goal.each
  for (let round = 0; !isDone(); round += 1) {
    if (seen.states > 20 * goal.states) throw new Error(`void: ${JSON.stringify(seen)}`)
    const [lots = []] = fc.sample(manyLots, { seed: seed + round, numRuns: 1 })
    await session.query('BEGIN')
    await playRound(session, { rows: lots.map(rowsOf), isReadOnly: round % 10 === 1, seen })
    await session.query('ROLLBACK')
    if (round % 25 === 24)
      await world.sql(
        'TRUNCATE queue.jobs, queue.workers, queue.limits, queue.limit_counters, queue.lanes, queue.lane_turns, queue.lane_events',
      )
  }
  return seen
}

const manyLots = fc.array(anyLot, { minLength: 12, maxLength: 12 })

interface Round {
  readonly rows: readonly Rows[]
  readonly isReadOnly: boolean
  readonly seen: Seen
}

async function playRound(session: pg.Client, { rows, isReadOnly, seen }: Round): Promise<void> {
  for (const table of ['queues', 'workers', 'jobs', 'limits'] as const) {
    await session.query(inserts[table], [
      JSON.stringify(rows.flatMap((one): readonly object[] => one[table])),
    ])
  }
  await session.query(settle)
  for (const one of rows.filter(({ isUnderWay }) => isUnderWay)) await claimSome(session, one)
  if (isReadOnly) await session.query('SET LOCAL transaction_read_only = on')
  const ids = rows.flatMap(({ jobs }) => jobs.map(({ id }) => id))
  const facts = await readClaimFacts(within(session), ids)
  expect(facts).toHaveLength(ids.length)
  const claimed = new Set<string>()
  for (const one of rows) for (const id of await claimedOf(session, one)) claimed.add(id)
  for (const one of facts) {
    const reasons = reasonsOf(one)
    const claimable = !reasons.some(({ blocking }) => blocking)
    const mayWait = reasons.some(({ code }) => code === 'waits_turn')
    const isRight = claimable === claimed.has(one.id) || (claimable && mayWait)
    if (!isRight) throw new Error(`${claimable ? 'not ' : ''}claimed: ${JSON.stringify({ one, reasons })}`)
    seen.states += 1
    if (claimable) seen.claimable += 1
    for (const { code } of reasons) seen.reasons[code] += 1
  }
  await comparesWithView(session, facts, rows)
}

/** Claims that are not undone: of what they leave behind, lanes and counters, the answer must not depend. */
async function claimSome(session: pg.Client, { workers }: Rows): Promise<void> {
  for (const { id, queues, kinds: runnable } of workers) {
    await claim({ database: within(session) }, id, { queues, kinds: runnable, limit: 2 })
  }
}

/** What the next claims take, of each worker by itself: whatever it may. */
async function claimedOf(session: pg.Client, { workers }: Rows): Promise<string[]> {
  const taken: string[] = []
  for (const { id, queues, kinds: runnable } of workers) {
    const { rows } = await session.query(`SELECT FROM queue.jobs WHERE locked_by = $1 AND crashes > 0`, [id])
    await session.query('SAVEPOINT claiming')
    // As a worker does: see `CrashedJobs`.
    const over = { queues, kinds: runnable, eligible: rows.length > 0 ? 'steady' : 'any' } as const
    // One claim looks at some of many lanes, so it is repeated until nothing comes.
    for (let empty = 0; empty < 2; ) {
      const claiming = claim({ database: within(session) }, id, over).catch((error: unknown) => {
        expect(error).toMatchObject({ code: 'database_unavailable' })
        return undefined
      })
      const jobs = await claiming
      if (jobs === undefined) break
      if (jobs.length === 0) empty += 1
      taken.push(...jobs.map((one) => one.id))
    }
    await session.query('ROLLBACK TO claiming')
  }
  return taken
}

/** A tenant reads the same of its own jobs, and none of the others. */
async function comparesWithView(
  session: pg.Client,
  facts: readonly ClaimFacts[],
  rows: readonly Rows[],
): Promise<void> {
  await session.query(`SET LOCAL queue.tenant = 'acme'`)
  const database = within(session)
  const seen = await readClaimFacts(
    { ...database, names: tenantNames(database.names, 'queue') },
    facts.map(({ id }) => id),
  )
  const tenants = new Map(rows.flatMap(({ jobs }) => jobs.map((one) => [one.id, one.tenant_id])))
  const own = facts.filter(({ id }) => tenants.get(id) === 'acme')
  expect(byId(seen)).toEqual(byId(own.map((one) => ({ ...one, elsewhere: null, holders: null }))))
}

const byId = (facts: readonly ClaimFacts[]): ClaimFacts[] => facts.toSorted((a, b) => (a.id < b.id ? -1 : 1))

test('nothing blocks a job exactly when the next claim of some worker takes it', async () => {
  const seen = await playRounds({ states: 500 * testScale, each: Math.min(100, testScale) })
  process.stderr.write(`why: ${JSON.stringify(seen)}\n`)
  expect(seen.claimable).toBeGreaterThan(seen.states / 40)
}, 3_600_000)

describe('why a job does not start', () => {
  const codesOf = async (id: string) => (await queue.why(id))?.reasons.map(({ code }) => code)

  test('is nothing when it is next, and then its place is told', async () => {
    await registered(world)
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

  test('is each condition that fails, with when it ends and what would end it', async () => {
    const job = await enqueueProbe(world, { delayMs: hourMs, queue: 'mail' })
    await registered(world, { queues: ['other'] })
    expect(await queue.why(job.id)).toMatchObject({
      claimable: false,
      start: null,
      reasons: [
        { code: 'not_due', blocking: true, until: job.runAt, ends: 'wait for its start, or run it now' },
        { code: 'queue_unknown', details: { queue: 'mail' } },
        { code: 'no_worker', details: { queue: 'mail', elsewhere: ['other'] } },
      ],
    })
    await registered(world, { queues: ['mail'], kinds: ['probe/2', 'other'] })
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

  test('is that it runs, or that its end is awaited, or that it has ended', async () => {
    const worker = await registered(world, { concurrency: 1 })
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
  })

  test('is the limit that holds it back, and never its key', async () => {
    await registered(world)
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
    // Nothing comes before a job that is not due, where no other one of its key is.
    const later = await enqueueProbe(world, { key: 'later', delayMs: hourMs })
    expect(await codesOf(later.id)).toEqual(['not_due', 'waits_turn'])
    expect((await queue.why(second?.id ?? ''))?.reasons[0]).toMatchObject({
      details: { heldBy: [first?.id] },
    })
    await claim(world, await registered(world))
    const why = await queue.why(second?.id ?? '')
    expect(why?.reasons).toMatchObject([
      {
        code: 'limit_full',
        message: 'The limit of this key in the queue default is reached: 1 of at most 1 jobs are running.',
        details: { scope: 'key', limit: 1, jobs: 1, heldBy: [first?.id] },
      },
      { code: 'rate_spent', until: expect.any(Date), details: { scope: 'queue', queue: 'default' } },
    ])
    expect(JSON.stringify(why)).not.toContain('secret')
  })

  test('names those that hold a limit, ten at most and those that have run for longest, but not to a tenant', async () => {
    await queue.limits.set({ queue: 'default', scope: 'queue', maxRunning: 11 })
    await queue.limits.set({ queue: 'default', scope: 'kind', name: 'probe', maxRunning: 1 })
    await enqueueProbes(world, 1, { queue: 'other' })
    const [first] = await enqueueProbes(world, 1)
    const worker = await registered(world, { queues: ['default', 'other'] })
    expect(await claim(world, worker, { queues: ['default', 'other'] })).toHaveLength(2)
    await queue.limits.delete({ queue: 'default', scope: 'kind', name: 'probe' })
    const more = await enqueueProbes(world, 10)
    expect(await claim(world, worker)).toHaveLength(10)
    await queue.limits.set({ queue: 'default', scope: 'kind', name: 'probe', maxRunning: 1 })
    const own = await enqueueProbe(world, { tenantId: 'acme' })
    const [ofQueue, ofKind] = (await queue.why(own.id))?.reasons ?? []
    const inOrder = [first?.id, ...more.map(({ id }) => id)].slice(0, 10)
    expect(ofQueue).toMatchObject({
      code: 'limit_full',
      details: { scope: 'queue', jobs: 11, heldBy: inOrder },
    })
    expect(ofKind).toMatchObject({
      code: 'limit_full',
      details: { scope: 'kind', jobs: 11, heldBy: inOrder },
    })
    const told = await scopeQueue(queue, { tenantId: 'acme' }).why(own.id)
    expect(told?.reasons[0]).toMatchObject({ code: 'limit_full', details: { jobs: 11, heldBy: null } })
  })

  test('tells a tenant of its own jobs alone, and of the queues of others nothing', async () => {
    const job = await enqueueProbe(world, { tenantId: 'acme', queue: 'mail' })
    await registered(world, { queues: ['secret'] })
    const why = await scopeQueue(queue, { tenantId: 'acme' }).why(job.id)
    expect(why?.reasons.map(({ code }) => code)).toEqual(['queue_unknown', 'no_worker'])
    expect(JSON.stringify(why)).not.toContain('secret')
    expect(await scopeQueue(queue, { tenantId: 'other' }).why(job.id)).toBeUndefined()
  })
})
