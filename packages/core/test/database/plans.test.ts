import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { explainUndone } from '@queue/dev-postgres'
import type pg from 'pg'
import { rotateKey } from '../../src/access/create-key.ts'
import { findKeys } from '../../src/access/find-keys.ts'
import { findSessions } from '../../src/access/find-sessions.ts'
import { takeRequests } from '../../src/access/take-requests.ts'
import { findNext } from '../../src/acts/acts-by-filter.ts'
import { nextOperationMs } from '../../src/acts/carry-out-operation.ts'
import { pruneOperations } from '../../src/acts/prune-operations.ts'
import { listOperations } from '../../src/acts/read-operations.ts'
import { listAuditEntries } from '../../src/audit/list-audit-entries.ts'
import { pruneAuditLog } from '../../src/audit/prune-audit-log.ts'
import { checkLeases } from '../../src/claims/check-leases.ts'
import { ClaimMemory } from '../../src/claims/claim-memory.ts'
import { listOwnLeases } from '../../src/claims/list-own-leases.ts'
import { readPayloads } from '../../src/claims/read-payloads.ts'
import type { QueueDatabase } from '../../src/database/connect.ts'
import type { ClaimedJob, Lease } from '../../src/domain/job.ts'
import { placeMax, whyHeldMax } from '../../src/domain/limits.ts'
import { keepCount } from '../../src/flow/count-waiting.ts'
import { listOwnQueues } from '../../src/flow/own-queues.ts'
import { pauseQueue } from '../../src/flow/pause-queue.ts'
import { listQueues, queueStats } from '../../src/flow/queue-stats.ts'
import { separateSeries } from '../../src/insight/add-counts.ts'
import { readAttention } from '../../src/insight/attention.ts'
import { readClaimFacts } from '../../src/insight/claim-facts.ts'
import { expectedStart } from '../../src/insight/expected-start.ts'
import { listErrors } from '../../src/insight/list-errors.ts'
import { listLogs } from '../../src/insight/list-logs.ts'
import { pruneErrors } from '../../src/insight/prune-errors.ts'
import { readStats } from '../../src/insight/read-stats.ts'
import { listKinds } from '../../src/kinds/list-kinds.ts'
import { checkSchemaVersion } from '../../src/migrations/index.ts'
import { countDeadLetters, getDeadLetter, listDeadLetters } from '../../src/reads/dead-letters.ts'
import { getJob } from '../../src/reads/get-job.ts'
import { listExecutions } from '../../src/reads/list-executions.ts'
import { listJobs } from '../../src/reads/list-jobs.ts'
import { readEndedJobs } from '../../src/reads/wait-for-end.ts'
import { nextDueMs } from '../../src/schedules/next-due.ts'
import { getSchedule } from '../../src/schedules/read-schedules.ts'
import { syncSchedules } from '../../src/schedules/sync-schedules.ts'
import { cancelJob } from '../../src/transitions/cancel-job.ts'
import { enqueueJobs } from '../../src/transitions/enqueue-jobs.ts'
import { expireJobs } from '../../src/transitions/expire-jobs.ts'
import { finishJobs } from '../../src/transitions/finish-jobs.ts'
import { pruneJobs } from '../../src/transitions/prune-jobs.ts'
import { recoverJobs } from '../../src/transitions/recover-jobs.ts'
import { reportProgress } from '../../src/transitions/report-progress.ts'
import { requeueJob } from '../../src/transitions/requeue-job.ts'
import { restoreRequeuedJobs } from '../../src/transitions/restore-requeued-jobs.ts'
import { retryOrDeadLetterJobs } from '../../src/transitions/retry-or-dead-letter-jobs.ts'
import { snoozeJobs } from '../../src/transitions/snooze-jobs.ts'
import { heldSlots } from '../../src/unique/slots.ts'
import { pruneWorkers } from '../../src/workers/prune-workers.ts'
import { smallestJobIdAt } from '../../src/domain/job-id.ts'
import { stopWorker } from '../../src/workers/stop-worker.ts'
import { turnEndedDays } from '../../src/transitions/turn-ended-days.ts'
import { asActDatabase, claim, newWorker, probe, slotsOfDefault } from '../support/builders.ts'
import { pagesTouched, plansOf, rowsRead } from '../support/plans.ts'
import { openWorld } from '../support/world.ts'

const world = await openWorld()
afterAll(() => world.close())

const idAt = (n: number): string => `01900000-0000-7000-8000-${n.toString(16).padStart(12, '0')}`
const leases = (count: number): Lease[] =>
  Array.from({ length: count }, (_, n) => ({ jobId: idAt(n + 1), token: 1 }))
const locatedLeases = (count: number) => leases(count).map((lease) => ({ lease, ctid: '(0,1)' }))
const id = idAt(1)
const causes = ['0123456789abcdef', 'fedcba9876543210']
const keyed = { ...probe.create({}, { idempotencyKey: 'k' }), id }

/** The database for a prune that finds a job and locks it. */
const pruning = (database: QueueDatabase) =>
  asActDatabase({
    ...database,
    run: async <Row>(statement: Parameters<QueueDatabase['run']>[0]) => {
      await database.run(statement)
      return [{ ids: [id], seen: 1, cursor: id, id, keeps_key: false }] as Row[]
    },
  })

const claimFromMany = (database: QueueDatabase) =>
  claim({ database }, 'w', { limit: 50, queues: Array.from({ length: 1_000 }, (_, n) => `q${n}`) })

const syncOfSource = (database: QueueDatabase) =>
  syncSchedules({ ...world.database, transaction: (work) => work(database) }, [], {
    source: 's',
    revision: 1,
  })

/** Acts of the runtime and the API, each with the index that the migration names it for. */
const indexedStatements: readonly (readonly [
  string,
  (database: QueueDatabase) => Promise<unknown>,
  string,
])[] = [
  ['claim', (database) => claim({ database }, 'w', { limit: 50 }), 'jobs_claim_idx'],
  ['claim from many queues', claimFromMany, 'jobs_claim_idx'],
  [
    'claim of several versions',
    (database) => claim({ database }, 'w', { limit: 50, kinds: ['probe', 'probe/2'] }),
    'jobs_claim_idx',
  ],
  ...[1, 50, 500].flatMap(
    (count): (readonly [string, (database: QueueDatabase) => Promise<unknown>, string])[] => [
      [
        `finish of ${count}`,
        (db) =>
          finishJobs(
            db,
            leases(count).map((lease) => ({ lease, resultText: '{}', note: null })),
          ),
        'jobs_pkey',
      ],
      [
        `failure of ${count}`,
        (db) =>
          retryOrDeadLetterJobs(
            db,
            leases(count).map((lease) => ({ lease, error: 'e', waitMs: 1, permanent: true })),
          ),
        'jobs_pkey',
      ],
      [
        `snooze of ${count}`,
        (db) =>
          snoozeJobs(
            db,
            leases(count).map((lease) => ({ lease, waitMs: 1 })),
          ),
        'jobs_pkey',
      ],
      [`payloads of ${count}`, (db) => readPayloads(db, leases(count)), 'jobs_pkey'],
      [`look at ${count} leases`, (db) => checkLeases(db, locatedLeases(count)), 'jobs_pkey'],
      [
        `progress of ${count}`,
        (db) =>
          reportProgress(
            db,
            leases(count).map((lease) => ({ lease, percent: 1, message: null })),
          ),
        'jobs_pkey',
      ],
    ],
  ),
  ['cancel', (db) => cancelJob(db, id), 'jobs_pkey'],
  ['requeue', (db) => requeueJob(asActDatabase(db), id), 'jobs_pkey'],
  ['read of one job', (db) => getJob(db, id), 'jobs_pkey'],
  ['read of ended jobs', (db) => readEndedJobs(db, [id]), 'jobs_pkey'],
  ['recovery', recoverJobs, 'jobs_locked_by_idx'],
  [
    'own leases',
    (db) => listOwnLeases(db, { workerId: 'w', fromAgeMs: 0, toAgeMs: 60_000 }),
    'jobs_locked_by_idx',
  ],
  ['recovery', recoverJobs, 'jobs_expires_idx'],
  ['expiry', expireJobs, 'jobs_expires_idx'],
  [
    'prune of what has metadata',
    (db) => pruneJobs(pruning(db), { succeededMs: 1, cancelledMs: 1, failedMs: 1, keyMs: null }, null),
    'job_metadata_pkey',
  ],
  ['list of metadata', (db) => listJobs(db, { metadata: { order_id: 7 } }), 'job_metadata_pkey'],
  [
    'list of metadata of a tenant and a state',
    (db) => listJobs(db, { metadata: { order_id: 7, paid: true }, tenantId: 'acme', status: 'queued' }),
    'job_metadata_pkey',
  ],
  [
    'list of metadata of all tenants',
    (db) => listJobs(db, { metadata: { order_id: 7 } }),
    'job_metadata_tenants_idx',
  ],
  [
    'prune',
    (db) => pruneJobs(pruning(db), { succeededMs: 1, cancelledMs: 1, failedMs: 1, keyMs: null }, null),
    'jobs_pkey',
  ],
  ['look-up of a key', (db) => enqueueJobs(db, [keyed]), 'jobs_idempotency_idx'],
  ['list of all', (db) => listJobs(db), 'jobs_pkey'],
  ['list of a time', (db) => listJobs(db, { createdAfter: new Date(0) }), 'jobs_pkey'],
  ['list of a kind', (db) => listJobs(db, { kind: 'rare' }), 'jobs_pkey'],
  ['list of a queue', (db) => listJobs(db, { queue: 'rare' }), 'jobs_pkey'],
  ['list of the succeeded', (db) => listJobs(db, { status: 'succeeded' }), 'jobs_pkey'],
  ...(['queued', 'retrying', 'failed_permanent', 'cancelled'] as const).map(
    (status): readonly [string, (db: QueueDatabase) => Promise<unknown>, string] => [
      `list of the ${status}`,
      (db) => listJobs(db, { status }),
      'jobs_status_idx',
    ],
  ),
  ['list of a tenant', (db) => listJobs(db, { tenantId: 'acme' }), 'jobs_tenant_idx'],
  [
    'list of a tenant and a state',
    (db) => listJobs(db, { tenantId: 'acme', status: 'queued' }),
    'jobs_tenant_idx',
  ],
  [
    'dead letters of a tenant',
    (db) => listDeadLetters(db, { tenantId: 'acme' }),
    'dead_letter_jobs_tenant_idx',
  ],
  ['list of a worker', (db) => listJobs(db, { worker: 'w' }), 'jobs_locked_by_idx'],
  ['list of what ended', (db) => listJobs(db, { finishedBefore: new Date() }), 'jobs_pkey'],
  ...(
    [
      ['delete', { queue: 'rare' }, 'jobs_pkey'],
      ['requeue', { kind: 'rare' }, 'jobs_status_idx'],
      ['cancel', { tenant_id: 'acme' }, 'jobs_tenant_idx'],
      ['requeue', { fingerprint: causes }, 'jobs_status_idx'],
      ['delete', { fingerprint: causes }, 'job_executions_pkey'],
    ] as const
  ).map(([act, filter, index]): readonly [string, (db: QueueDatabase) => Promise<unknown>, string] => [
    `${act} of ${JSON.stringify(filter)}, the next batch`,
    (db) => findNext(db, { act, filter, runAt: null }, { after: id, upTo: idAt(20_000), max: 500 }),
    index,
  ]),
  ['history of a job', (db) => listExecutions(db, id), 'job_executions_pkey'],
  ['expected start of a job', (db) => expectedStart(db, id), 'jobs_claim_idx'],
  ['why a job does not start', (db) => readClaimFacts(db, [id]), 'jobs_locked_by_idx'],
  ['list of dead letters', (db) => listDeadLetters(db), 'dead_letter_jobs_dead_lettered_at_idx'],
  ['read of a dead letter', (db) => getDeadLetter(db, id), 'dead_letter_jobs_pkey'],
]

function nextBatchOf(act: 'cancel' | 'requeue_dead_letters') {
  const range = { after: id, upTo: idAt(20_000), max: 500 }
  return (db: QueueDatabase): Promise<unknown> => findNext(db, { act, filter: {}, runAt: null }, range)
}

/** Without statistics the planner expects most jobs to be running, and a list of them to be one of the whole table. */
const indexedWithStatistics: typeof indexedStatements = [
  ['list of the running', (db) => listJobs(db, { status: 'running' }), 'jobs_locked_by_idx'],
  ['cancel of all, the next batch', nextBatchOf('cancel'), 'jobs_status_idx'],
  [
    'requeue of dead letters, the next batch',
    nextBatchOf('requeue_dead_letters'),
    'dead_letter_jobs_job_id_key',
  ],
]

/** Acts on tables so small that a sequential scan is right; their indexes are there for uniqueness. */
const keysOfSmallTables: readonly (readonly [string, (db: QueueDatabase) => Promise<unknown>, string])[] = [
  [
    'rotation of a key',
    (db) => rotateKey(db, { id: 'abcd1234', digest: Buffer.alloc(32), replaces: 'abcd1235', overlapMs: 1 }),
    'api_keys_replaces_key',
  ],
  ['end of a worker', (db) => stopWorker(db, 'w'), 'workers_pkey'],
  ['days of ended jobs', turnEndedDays, 'ended_days_pkey'],
  ['pause', (db) => pauseQueue(db, 'default'), 'queues_pkey'],
  ['schema version', checkSchemaVersion, 'migrations_pkey'],
  ['requeue', (db) => requeueJob(asActDatabase(db), id), 'dead_letter_jobs_job_id_key'],
  [
    'undo of a requeue',
    (db) => restoreRequeuedJobs(db, [{ id, changedAt: new Date() }]),
    'requeued_jobs_pkey',
  ],
  [
    'a count of what waits',
    (db) => keepCount(db, { queue: 'q', name: '', maxWaiting: null }),
    'waiting_counts_pkey',
  ],
  ['look-up of keys', (db) => findKeys(db, ['abcd1234']), 'api_keys_pkey'],
  [
    'requests of a key',
    (db) =>
      takeRequests(db, 'abcd1234', { rate: { count: 1, perSeconds: 1, burst: 1 }, wanted: 1, returned: 0 }),
    'api_key_buckets_pkey',
  ],
  ['a session', (db) => findSessions(db, [Buffer.alloc(32)]), 'api_sessions_pkey'],
  ['audit log', (db) => listAuditEntries(db), 'audit_log_at_idx'],
  ['audit log past its retention', (db) => pruneAuditLog(db, 1), 'audit_log_at_idx'],
  ['audit log of a tenant', (db) => listAuditEntries(db, { tenantId: 't' }), 'audit_log_pkey'],
  ['audit log about a job', (db) => listAuditEntries(db, { jobId: id }), 'audit_log_job_ids_idx'],
  ['schedules that are due', nextDueMs, 'schedules_due_idx'],
  ['a schedule', (db) => getSchedule(db, 'n'), 'schedules_pkey'],
  ['sync of a source', syncOfSource, 'schedule_sources_pkey'],
  ['log of a job', (db) => listLogs(db, id), 'job_logs_pkey'],
  ['failures of a tenant', (db) => listErrors({ ...db, scope: { tenantId: 't' } }), 'job_errors_pkey'],
  ['days of failures of causes past their retention', (db) => pruneErrors(db, null), 'job_error_days_pkey'],
  ['days of failures past their retention', (db) => pruneErrors(db, null), 'job_error_days_day_idx'],
  // The few dead letters of this test are scanned sequentially, because up to a thousand are counted.
  ['what needs somebody', readAttention, 'jobs_claim_idx'],
  ['dead letters that need somebody', readAttention, 'dead_letter_jobs_dead_lettered_at_idx'],
  ['numbers over time', (db) => readStats(db), 'job_stats_pkey'],
  ['numbers of a tenant', (db) => readStats({ ...db, scope: { tenantId: 't' } }), 'job_stats_tenant_idx'],
  ['known series', (db) => separateSeries(db, ['q/k']), 'job_stats_series_pkey'],
  [
    'dead letters of a cause',
    (db) => countDeadLetters(db, { fingerprint: '0123456789abcdef' }),
    'dead_letter_jobs_fingerprint_idx',
  ],
  [
    'dead letters of several causes',
    (db) => countDeadLetters(db, { fingerprint: causes }),
    'dead_letter_jobs_fingerprint_idx',
  ],
  [
    'holders of unique keys',
    (db) =>
      heldSlots(db, [{ tenantId: '', kind: 'k', key: 'u', scope: 'live', windowMs: null, jobId: idAt(1) }]),
    'job_unique_slots_pkey',
  ],
  ['the versions of a kind', (db) => listKinds(db, 'k'), 'job_kinds_pkey'],
  ['operations', (db) => listOperations(db), 'operations_id_key'],
  [
    'operations of a tenant',
    (db) => listOperations({ ...db, scope: { tenantId: 'acme' } }),
    'operations_pkey',
  ],
  ['the operation that is due', nextOperationMs, 'operations_running_idx'],
  ['operations that ended long ago', (db) => pruneOperations(db, 3_600_000), 'operations_finished_idx'],
  ['whether keys are revoked', (db) => findKeys(db, ['abcd1234']), 'api_key_revocations_pkey'],
]

/** Acts that count live jobs read all of them, through an index when there is history beside them. */
const countingStatements: typeof indexedStatements = [
  // For a tenant that has nearly all jobs the planner chooses the smallest index.
  [
    'queues of a tenant',
    (db) => listOwnQueues({ ...db, scope: { tenantId: 'other' } }),
    'jobs_tenant_live_idx',
  ],
  ['queues with jobs that have a key', (db) => listQueues(db), 'jobs_keyed_idx'],
]

const total = 20_000

/** Empties the tables without leaving dead rows of the last test, which scans would read. */
async function emptyTables(): Promise<void> {
  await world.reset()
  await world.sql(
    'TRUNCATE queue.jobs, queue.ended_jobs, queue.job_executions, queue.dead_letter_jobs, queue.job_metadata',
  )
}

/** Leaves the tables as after a bulk load: large, and without statistics. */
async function bulkLoad(): Promise<void> {
  await emptyTables()
  for (const table of ['jobs', 'job_executions', 'dead_letter_jobs', 'job_metadata']) {
    await world.sql(`ALTER TABLE queue.${table} SET (autovacuum_enabled = false)`)
  }
  await world.sql(
    `INSERT INTO queue.jobs (id, kind, payload, metadata, tenant_id, status, attempts, lease_token, locked_by, locked_at)
     SELECT ('01900000-0000-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid, 'probe', '{"a": 1}',
            json_build_object('order_id', n % 100), 'acme',
            CASE WHEN n <= 500 THEN 'running' ELSE 'queued' END::queue.job_status, least(1, 500 / n),
            least(1, 500 / n), CASE WHEN n <= 500 THEN 'w' END, CASE WHEN n <= 500 THEN now() END
       FROM generate_series(1, $1::int) AS n`,
    [total],
  )
  await world.sql(
    `INSERT INTO queue.job_executions (job_id, lease_token, started_at, finished_at, attempt, worker_id, outcome)
     SELECT id, 0, now(), now(), 1, 'w', 'snoozed' FROM queue.all_jobs`,
  )
  await world.sql(
    `INSERT INTO queue.job_metadata (job_id, tenant_id, name, value)
     SELECT id, 'acme', 'order_id', metadata ->> 'order_id' FROM queue.all_jobs`,
  )
  await world.sql(
    `INSERT INTO queue.dead_letter_jobs
       (job_id, lease_token, created_at, dead_lettered_at, attempts, max_attempts, priority, crashes, queue, kind, payload,
        execution_history)
     SELECT id, 1, now(), now(), 1, 1, 4, 0, 'default', 'probe', '{}', '[]' FROM queue.all_jobs LIMIT 5000`,
  )
}

describe.each([
  ['right after a bulk load, without statistics', '', indexedStatements],
  ['with statistics', 'ANALYZE', [...indexedStatements, ...indexedWithStatistics]],
] as const)('%s', (...[, analyze, statements]) => {
  let client: pg.Client

  beforeAll(async () => {
    await bulkLoad()
    client = await world.session()
    await world.sql(analyze)
  })

  test.each(statements)(
    '%s goes by its index, and never reads the whole table',
    async (...[, act, index]) => {
      // Only workers recover, and their sessions have this setting: see `beginOwnSession`.
      await client.query(`SET enable_seqscan = ${act === recoverJobs ? 'off' : 'on'}`)
      const plan = await plansOf(client, world.database, act)
      expect(plan).toContain(index)
      expect(plan).not.toMatch(/Seq Scan on (jobs|job_executions|dead_letter_jobs|job_metadata)\b/)
    },
  )
})

test('a claim from many queues hashes its list of queues instead of searching it for each slot', async () => {
  const plan = await plansOf(await world.session(), world.database, claimFromMany)
  expect(plan).toMatch(/Function Scan on unnest slot.*\n *Filter: .*hashed SubPlan/)
})

/**
 * The default of `jit_above_cost`: statements that the planner believes to cost more are compiled first, which takes
 * seconds.
 */
const jitAboveCost = 100_000

test('a check of leases whose rows have not moved reads one page for each, and no index', async () => {
  await bulkLoad()
  const jobs = await world.sql<{ id: string; ctid: string }>(
    `SELECT id, ctid::text AS ctid FROM queue.jobs WHERE status = 'running' LIMIT 50`,
  )
  const locatedRows = jobs.map(({ id: jobId, ctid }) => ({ lease: { jobId, token: 1 }, ctid }))
  const client = await world.session()
  expect(await pagesTouched(client, world.database, (db) => checkLeases(db, locatedRows))).toBe(jobs.length)
})

test('no routine that forbids kinds of plans leaves JIT on, which would compile its statements at every call', async () => {
  // Before PostgreSQL 18 a forbidden node that is needed all the same costs 1e10, above every threshold of JIT.
  const compiled = await world.sql(
    `SELECT proname FROM pg_proc WHERE pronamespace = 'queue'::regnamespace
        AND 'enable_seqscan=off' = ANY(proconfig) AND NOT 'jit=off' = ANY(proconfig)`,
  )
  expect(compiled).toEqual([])
})

describe('in a table of millions', () => {
  beforeAll(async () => {
    await bulkLoad()
    for (let worker = 0; worker < 20; worker += 1) await newWorker(world)
    // Statistics from a moment when nothing ran: the planner knows no worker's name.
    await world.sql(
      `UPDATE queue.jobs SET status = 'succeeded', finished_at = now(), locked_by = NULL, locked_at = NULL
        WHERE status = 'running'`,
    )
    await world.sql('ANALYZE')
  })

  test.each([...indexedStatements, ['removal of workers', pruneWorkers, '']] as const)(
    '%s is not believed to be so dear that PostgreSQL compiles it',
    async (...[, act]) => {
      const client = await world.session()
      await client.query('BEGIN')
      await client.query(
        `UPDATE pg_class SET reltuples = 1000 * reltuples
        WHERE relnamespace = 'queue'::regnamespace AND relname IN ('jobs', 'job_executions', 'job_metadata')`,
      )
      const plans = await plansOf(client, world.database, act)
      await client.query('ROLLBACK')
      const costs = [...plans.matchAll(/^\S.*\(cost=[\d.]+\.\.([\d.]+)/gm)].map(([, cost]) => Number(cost))
      expect(costs).not.toEqual([])
      for (const cost of costs) expect(cost).toBeLessThan(jitAboveCost)
    },
  )
})

test('every index of the schema is named by a query that needs it', async () => {
  const client = await world.session()
  await client.query('SET enable_seqscan = off')
  const needed = new Set(indexedStatements.map(([, , index]) => index))
  for (const [, act, index] of [...keysOfSmallTables, ...countingStatements]) {
    expect(await plansOf(client, world.database, act)).toContain(index)
    needed.add(index)
  }
  // The leaves of a partitioned index have names of their own.
  expect(await plansOf(client, world.database, (db) => getJob(db, smallestJobIdAt(Date.now())))).toMatch(
    /ended_jobs_\d{8}_pkey/,
  )
  expect(await plansOf(client, world.database, (db) => listJobs(db, { tenantId: 't' }))).toMatch(
    /ended_jobs_\d{8}_tenant_id_id_idx/,
  )
  needed.add('ended_jobs_pkey').add('ended_jobs_tenant_idx')
  for (const index of [...(await indexesOfClaimLanes()), ...(await indexesOfAnErasure())]) needed.add(index)
  const indexes = await world.sql<{ indexname: string }>(
    `SELECT indexname FROM pg_indexes JOIN pg_class ON relname = indexname AND NOT relispartition
      WHERE schemaname = 'queue' ORDER BY indexname`,
  )
  expect(indexes.map((row) => row.indexname)).toEqual([...needed].toSorted((a, b) => (a < b ? -1 : 1)))
})

/** The indexes that `claim_lanes` reads. */
async function indexesOfClaimLanes(): Promise<string[]> {
  await emptyTables()
  await world.queue.limits.set({ queue: 'default', scope: 'queue', maxRunning: 5, fairBy: 'tenant' })
  await world.queue.limits.set({ queue: 'default', scope: 'each_key', maxRunning: 1 })
  const worker = await newWorker(world)
  for (const key of ['a', 'b', 'b']) await world.queue.enqueue(probe, {}, { key })
  const client = await world.session()
  await client.query('BEGIN')
  const claimed = await client.query(
    `SELECT id FROM queue.claim_lanes($1, '{default}', ${slotsOfDefault}, '{probe}', 10, false, 'Infinity', 10000, '{}')`,
    [worker],
  )
  // The last row is not a job.
  expect(claimed.rows).toHaveLength(3)
  return indexesReadIn(client)
}

/** The indexes that `erase_from_audit` reads. */
async function indexesOfAnErasure(): Promise<string[]> {
  const erased = await world.queue.many.erase({}, { all: true })
  const client = await world.session()
  await client.query('BEGIN')
  await client.query('SET LOCAL enable_seqscan = off')
  await client.query('SELECT queue.erase_from_audit($1, $2)', [
    erased.outcome === 'operation' ? erased.operation.id : null,
    [id],
  ])
  return indexesReadIn(client)
}

/**
 * The indexes that the transaction has read, which ends. No plan shows the statements inside a function; the statistics
 * of its transaction do.
 */
async function indexesReadIn(client: pg.Client): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>(
    `SELECT indexrelname AS name FROM pg_stat_all_indexes
      WHERE schemaname = 'queue' AND pg_stat_get_xact_numscans(indexrelid) > 0`,
  )
  await client.query('ROLLBACK')
  return rows.map(({ name }) => name)
}

test('the depth of the queues is read from the live jobs, however long the history', async () => {
  const pages: number[] = []
  for (const finished of [0, total]) {
    await emptyTables()
    await world.sql(
      `INSERT INTO queue.jobs (id, kind, payload, status, finished_at)
       SELECT ('01900000-0000-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid, 'probe', '{}',
              CASE WHEN n <= $1 THEN 'succeeded' ELSE 'queued' END::queue.job_status,
              CASE WHEN n <= $1 THEN now() END
         FROM generate_series(1, $1 + 200) AS n`,
      [finished],
    )
    await world.sql('ANALYZE queue.jobs')
    const client = await world.session()
    expect(await queueStats(world.database)).toMatchObject([{ name: 'default', queued: 200 }])
    pages.push(await pagesTouched(client, world.database, queueStats))
  }
  const [without = 0, withHistory = 0] = pages
  expect(withHistory).toBeLessThanOrEqual(1.5 * without + 5)
})

test('the cost of a page of queues depends on its live jobs, and not on the number of queues or the history', async () => {
  const pages: number[] = []
  for (const [otherQueues, finished] of [
    [50, 0],
    [total, 0],
    [50, total],
  ] as const) {
    await emptyTables()
    await world.sql(
      `INSERT INTO queue.jobs (id, kind, payload, queue, status, finished_at)
       SELECT ('01900000-0000-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid, 'probe', '{}',
              CASE WHEN n <= $1 THEN 'stranger-' || n ELSE 'default' END,
              CASE WHEN n <= $1 THEN 'queued' ELSE 'succeeded' END::queue.job_status,
              CASE WHEN n > $1 THEN now() END
         FROM generate_series(1, $1::int + $2::int) AS n`,
      [otherQueues, finished],
    )
    await world.sql('VACUUM ANALYZE queue.jobs')
    const client = await world.session()
    const page = (database: QueueDatabase) => listQueues(database, { limit: 20 })
    expect((await page(world.database)).queues).toHaveLength(20)
    pages.push(await pagesTouched(client, world.database, page))
  }
  // Pages of the step to each name, of its jobs and of its other columns. A scan of the jobs would read a thousand.
  expect(Math.max(...pages)).toBeLessThanOrEqual(15 * 21)
})

test('why a job does not start is told from a bounded number of rows, however many wait and run', async () => {
  await emptyTables()
  const workers = await Promise.all(
    Array.from({ length: 20 }, () => newWorker(world, { concurrency: 1_000 })),
  )
  await world.sql(
    `INSERT INTO queue.jobs (id, kind, payload, priority, run_at, status, attempts, lease_token, locked_by, locked_at)
     SELECT ('01900000-0000-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid, 'probe', '{}', n % 5, now() - interval '1 hour',
            CASE WHEN w.id IS NULL THEN 'queued' ELSE 'running' END::queue.job_status, 1, 1, w.id,
            CASE WHEN w.id IS NOT NULL THEN now() END
       FROM generate_series(1, $1::int) AS n
       LEFT JOIN unnest($2::text[]) WITH ORDINALITY AS w (id, number) ON n > $1::int / 2 AND n % 20 = w.number - 1`,
    [2 * total, workers],
  )
  const lastJobId = idAt(total - 1)
  // The last worker's jobs may be read completely.
  const jobsOfOneWorker = total / 20
  for (const analyze of ['', 'VACUUM ANALYZE queue.jobs, queue.workers']) {
    await world.sql(analyze)
    const client = await world.session()
    // As in the queue's own sessions.
    await client.query('SET enable_seqscan = off')
    const facts = await rowsRead(client, world.database, (db) => readClaimFacts(db, [lastJobId]))
    expect(facts).toBeGreaterThan(whyHeldMax)
    expect(facts).toBeLessThan(whyHeldMax + jobsOfOneWorker + 200)
    // The jobs of a priority with fewer than the maximum may be read completely and then sorted.
    expect(await rowsRead(client, world.database, (db) => expectedStart(db, lastJobId))).toBeLessThan(
      2 * placeMax,
    )
  }
})

describe('a list uses the index of its filter', () => {
  test.each([
    ['state', { status: 'failed_permanent' }, 'jobs_status_idx'],
    ['tenant', { tenantId: 'acme' }, 'jobs_tenant_idx'],
  ] as const)('of a %s also where it is common and all of it is old', async (...[, filter, index]) => {
    await emptyTables()
    await world.sql(
      `INSERT INTO queue.jobs (id, kind, payload, tenant_id, status, finished_at)
       SELECT ('01900000-0000-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid, 'probe', '{}',
              CASE WHEN n < 6000 THEN 'acme' ELSE 'other' END,
              CASE WHEN n < 6000 THEN 'failed_permanent' ELSE 'succeeded' END::queue.job_status, now()
         FROM generate_series(1, $1::int) AS n`,
      [total],
    )
    await world.sql('ANALYZE queue.jobs')
    const client = await world.session()
    expect(await plansOf(client, world.database, (db) => listJobs(db, filter))).toContain(index)
    expect(await pagesTouched(client, world.database, (db) => listJobs(db, filter))).toBeLessThan(40)
  })
})

describe('the cost of a claim does not grow with', () => {
  const jobsBefore = 20_000

  async function pagesOfClaimAfter(rows: string | undefined): Promise<number> {
    await emptyTables()
    const workerId = await newWorker(world)
    if (rows !== undefined) {
      await world.sql(
        `INSERT INTO queue.jobs (id, kind, payload, queue, priority, run_at)
         SELECT gen_random_uuid(), 'probe', '{}', ${rows} FROM generate_series(1, ${jobsBefore})`,
      )
    }
    await world.sql(
      `INSERT INTO queue.jobs (id, kind, payload) SELECT gen_random_uuid(), 'probe', '{}' FROM generate_series(1, 10)`,
    )
    await world.sql('VACUUM ANALYZE queue.jobs')
    const client = await world.session()
    return pagesTouched(client, world.database, (database) => claim({ database }, workerId, { limit: 10 }))
  }

  test('claimed jobs of a hundred keys while a transaction keeps its snapshot', async () => {
    await emptyTables()
    await world.queue.limits.set({ queue: 'default', scope: 'each_key', maxRunning: 1_000_000 })
    const workerId = await newWorker(world)
    const memory = new ClaimMemory(['default'])
    const claimBatch = () => claim(world, workerId, { memory, limit: 50 })
    const enqueueForAllKeys = () =>
      world.queue.enqueueMany(Array.from({ length: 100 }, (_, n) => probe.create({}, { key: `k${n}` })))
    const finish = async (jobs: readonly ClaimedJob[]): Promise<void> => {
      await finishJobs(
        world.database,
        jobs.map(({ lease }) => ({ lease, resultText: null, note: null })),
      )
    }
    const client = await world.session()
    // Otherwise the plans are made for what earlier tests have left in the statistics.
    await enqueueForAllKeys()
    await client.query('ANALYZE queue.jobs, queue.lanes, queue.lane_events')
    await finish([...(await claimBatch()), ...(await claimBatch())])
    /** The least of several claims: one that rereads everything reads more. */
    const pagesOfClaim = async (): Promise<number> => {
      const pages: number[] = []
      for (let n = 0; n < 4; n += 1) {
        await enqueueForAllKeys()
        const first = await claimBatch()
        const explained = await explainUndone(client, {
          sql: `SELECT id FROM queue.claim_lanes($1, '{default}', ${slotsOfDefault}, '{probe}', 50, false, 'Infinity', 10000, $2)`,
          parameters: [workerId, memory.lanes.marks],
        })
        pages.push(explained.pages)
        await finish([...first, ...(await claimBatch())])
      }
      return Math.min(...pages)
    }
    const before = await pagesOfClaim()
    const holder = await world.session()
    await holder.query('BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT FROM queue.queues')
    for (let round = 0; round < 40; round += 1) {
      await enqueueForAllKeys()
      await finish([...(await claimBatch()), ...(await claimBatch())])
    }
    expect(await pagesOfClaim()).toBeLessThan(2 * before)
    await holder.query('ROLLBACK')
  })

  test.each([
    ['the backlog of another queue', `'other', 0, now() - interval '1 day'`],
    ['jobs that are scheduled for later, at a higher priority', `'default', 0, now() + interval '1 day'`],
  ])('%s', async (_what, rows) => {
    const alone = await pagesOfClaimAfter(undefined)
    expect(await pagesOfClaimAfter(rows)).toBeLessThan(alone * 1.5 + 20)
  })
})
