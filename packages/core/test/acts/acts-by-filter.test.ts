import { afterAll, beforeEach, describe, expect, test } from '@jest/globals'
import { until } from '@queue/dev-postgres'
import { createKey } from '../../src/access/create-key.ts'
import { revokeKey } from '../../src/access/revoke-key.ts'
import type { ManyResult } from '../../src/acts/acts-on-many.ts'
import { carryOutOperation, nextOperationMs } from '../../src/acts/carry-out-operation.ts'
import type { Operation } from '../../src/acts/operation-row.ts'
import { pruneOperations } from '../../src/acts/prune-operations.ts'
import type { Actor } from '../../src/domain/actor.ts'
import {
  actAtOnceMax,
  actSampleMax,
  callerOperationsMax,
  operationRateMax,
  tenantOperationsMax,
} from '../../src/domain/limits.ts'
import { writeLogs } from '../../src/insight/write-logs.ts'
import { type ScopedQueue, scopeQueue } from '../../src/tenants/scoped-queue.ts'
import { retryOrDeadLetterJobs } from '../../src/transitions/retry-or-dead-letter-jobs.ts'
import { claim, enqueueProbes, newWorker, probe, runningJob } from '../support/builders.ts'
import { openWorld } from '../support/world.ts'

const world = await openWorld()
const { queue, database } = world
/** `QUEUE_TEST_SCALE=834` is the full size: a million dead letters. */
const scale = Number(process.env['QUEUE_TEST_SCALE'] ?? 1)
afterAll(() => world.close())
beforeEach(() => world.reset())

const by: Actor = { type: 'key', id: 'operator', name: 'an operator' }
const createAdminKey = (id: string, tenantId: string | null = null) =>
  createKey(database, {
    id,
    digest: Buffer.alloc(32, id),
    name: id,
    role: 'admin',
    permissions: [],
    ...(tenantId !== null && { bounds: { tenantId, queues: null, kinds: null } }),
  })

/** Inserts `count` jobs that no worker has ever run, in one state, queue and tenant; failed ones with their dead letter. */
async function insertJobs(
  count: number,
  status: string,
  {
    queue: queueName = 'default',
    tenant = null,
  }: { readonly queue?: string; readonly tenant?: string | null } = {},
): Promise<void> {
  await world.sql(
    `INSERT INTO queue.jobs (id, kind, payload, queue, status, attempts, lease_token, finished_at, tenant_id)
     SELECT ('01900000-0000-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid, 'probe', '{}', $2, $3::queue.job_status,
            CASE WHEN $3 = 'failed_permanent' THEN 1 ELSE 0 END, 1,
            CASE WHEN $3 IN ('succeeded', 'failed_permanent', 'cancelled') THEN now() END, $4
       FROM (SELECT coalesce((SELECT count(*) FROM queue.all_jobs), 0) + n AS n FROM generate_series(1, $1::int) AS n) AS n`,
    [count, queueName, status, tenant],
  )
  await world.sql(
    `INSERT INTO queue.dead_letter_jobs (job_id, lease_token, created_at, dead_lettered_at, attempts, max_attempts, priority,
       crashes, queue, kind, payload, tenant_id, execution_history)
     SELECT id, 1, now(), now(), 1, 3, 4, 0, queue, kind, payload, tenant_id, '[{"lease_token": 1}]'
       FROM queue.all_jobs AS j WHERE status = 'failed_permanent'
        AND NOT EXISTS (SELECT FROM queue.dead_letter_jobs AS d WHERE d.job_id = j.id)`,
  )
}

const countJobs = () =>
  world.sql<{ status: string; queue: string; count: number }>(
    'SELECT status::text, queue, count(*)::int AS count FROM queue.all_jobs GROUP BY 1, 2 ORDER BY 2, count(*)',
  )

function operationOf(result: ManyResult): Operation {
  if (result.outcome !== 'operation') throw new Error(`was done at once: ${JSON.stringify(result)}`)
  return result.operation
}

async function carryOutAll(): Promise<void> {
  for (let batches = 0; (await nextOperationMs(database)) !== null; batches += 1) {
    if (batches > 500) throw new Error('an operation does not end')
    await carryOutOperation(database)
  }
}

describe('an act by filter', () => {
  test('on up to 1 000 jobs changes them at once, and only those that match', async () => {
    await insertJobs(actAtOnceMax, 'queued', { queue: 'mail' })
    await enqueueProbes(world, 3)
    const result = await queue.actAs(by).many.cancel({ queue: 'mail' })
    expect(result).toMatchObject({ outcome: 'done', skipped: 0 })
    expect(result.outcome === 'done' && result.jobIds.length).toBe(actAtOnceMax)
    expect(await countJobs()).toEqual([
      { status: 'queued', queue: 'default', count: 3 },
      { status: 'cancelled', queue: 'mail', count: actAtOnceMax },
    ])
    const [entry] = (await queue.audit.list()).entries
    expect(entry).toMatchObject({ act: 'job.cancel', count: actAtOnceMax, filter: { queue: 'mail' } })
  })

  test.each<[string, object, string]>([
    [
      'metadata with a member that would be dropped',
      { metadata: JSON.parse('{"__proto__":"x"}') as object },
      'metadata',
    ],
    ['metadata without a member', { metadata: {} }, 'metadata'],
    ['members that all are undefined', { kind: undefined, queue: undefined }, 'kind'],
    ['a member that is undefined beside a condition', { queue: 'default', kind: undefined }, 'kind'],
  ])('is refused by %s, which would widen it', async (_what, filter, at) => {
    const [job] = await enqueueProbes(world, 1)
    for (const act of ['cancel', 'requeue', 'delete', 'erase'] as const) {
      await expect(queue.many[act](filter, { all: true })).rejects.toMatchObject({
        code: 'invalid_options',
        issues: expect.arrayContaining([expect.objectContaining({ path: [at] })]),
      })
    }
    expect(await queue.get(job?.id ?? '')).toMatchObject({ status: 'queued' })
  })

  describe('without a condition', () => {
    const [runAt, nothing] = [new Date('2031-01-16'), JSON.parse('{"__proto__":{"queue":"mail"}}') as object]
    const acme = scopeQueue(queue, { tenantId: 'acme' })
    test.each<[string, (filter: object) => Promise<unknown>]>([
      ['cancel', (filter) => queue.many.cancel(filter)],
      ['cancel in the bounds of a tenant', (filter) => acme.actAs(by).many.cancel(filter)],
      ['cancel without `all`', (filter) => queue.many.cancel(filter, { all: false })],
      ['requeue', (filter) => queue.many.requeue(filter)],
      ['reschedule', (filter) => queue.many.reschedule(filter, { runAt })],
      ['delete', (filter) => queue.many.delete(filter)],
      ['erase', (filter) => queue.many.erase(filter, { rate: 1 })],
      ['requeue of dead letters', (filter) => queue.many.requeueDeadLetters(filter)],
      ['requeue of a batch of dead letters', (filter) => queue.deadLetters.requeueMany(filter)],
      ['requeue of a batch in the bounds', (filter) => acme.actAs(by).deadLetters.requeueMany(filter)],
    ])('a filter is refused for %s, and nothing is changed', async (_what, act) => {
      await enqueueProbes(world, 1, { tenantId: 'acme' })
      await insertJobs(1, 'failed_permanent', { queue: 'dead' })
      const before = await countJobs()
      for (const filter of [{}, nothing]) {
        const code = expect.stringMatching(/^(?:selects_everything|invalid_options)$/)
        await expect(act(filter)).rejects.toMatchObject({ code })
      }
      await expect(act({})).rejects.toMatchObject({ code: 'selects_everything' })
      expect(await countJobs()).toEqual(before)
      expect((await queue.operations.list()).operations).toEqual([])
    })
  })

  test('counts the waiting jobs that it cancels', async () => {
    await runningJob(world)
    await enqueueProbes(world, 2, { tenantId: 'acme' })
    await world.sql(
      `UPDATE queue.jobs SET status = 'retrying', lease_token = 1 WHERE id = (SELECT min(id::text)::uuid FROM queue.all_jobs WHERE tenant_id IS NOT NULL)`,
    )
    expect(await queue.many.cancel({}, { all: true })).toMatchObject({
      jobIds: [1, 2, 3].map(() => expect.anything()),
    })
    // Counts of an earlier test may only be added now, so this counts one queue.
    const queueTotals = async () => (await queue.stats({ queue: 'default' })).total
    await until('the cancels are counted', async () => (await queueTotals()).cancelled === 2)
    expect((await queue.stats({ tenantId: 'acme' })).total).toMatchObject({ enqueued: 1, cancelled: 2 })
    expect(await queueTotals()).toMatchObject({ enqueued: 1, cancelled: 2 })
  })

  test('requests the cancel of running jobs once, and requeues failed jobs with their dead letters', async () => {
    const { lease, id } = await runningJob(world)
    const cancelled = await queue.many.cancel({ status: 'running' })
    expect(cancelled).toMatchObject({ outcome: 'done', jobIds: [id] })
    expect(await queue.many.cancel({ status: 'running' })).toMatchObject({ jobIds: [] })
    await world.sql('UPDATE queue.jobs SET cancel_requested = false')
    await retryOrDeadLetterJobs(database, [{ lease, error: 'e', waitMs: 0, permanent: true }])
    expect(await queue.many.requeue({ kind: 'probe' })).toMatchObject({ jobIds: [id] })
    expect(await queue.get(id)).toMatchObject({ status: 'queued', attempts: 0 })
    expect((await queue.deadLetters.list()).deadLetters).toEqual([])
  })

  test('moves the start of waiting jobs, and a dry run counts them', async () => {
    const jobs = await enqueueProbes(world, 12)
    const ids = jobs.map(({ id }) => id).toReversed()
    expect(await queue.operations.dryRun('reschedule', {})).toEqual({
      count: 12,
      isLeast: false,
      byWorkers: false,
      scanned: null,
      sample: ids.slice(0, actSampleMax),
    })
    const runAt = new Date(Date.now() + 3_600_000)
    await queue.many.reschedule({ createdBefore: runAt }, { runAt })
    expect((await queue.get(ids[0] as string))?.runAt).toEqual(runAt)
    expect(await queue.operations.dryRun('requeue', {})).toMatchObject({ count: 0 })
  })

  test('of a caller with bounds finds only jobs within them', async () => {
    await insertJobs(5, 'queued', { queue: 'mail', tenant: 'acme' })
    await insertJobs(5, 'queued', { queue: 'mail', tenant: 'evil' })
    const acmeQueue = scopeQueue(world.queue, { tenantId: 'acme' })
    expect(await acmeQueue.operations.dryRun('cancel', {})).toMatchObject({ count: 5 })
    await expect(acmeQueue.actAs(by).many.cancel({ tenantId: 'evil' })).rejects.toMatchObject({
      code: 'out_of_scope',
    })
    expect(await acmeQueue.actAs(by).many.cancel({}, { all: true })).toMatchObject({ outcome: 'done' })
    expect(
      await world.sql(`SELECT DISTINCT tenant_id FROM queue.all_jobs WHERE status = 'cancelled'`),
    ).toEqual([{ tenant_id: 'acme' }])
  })
})

describe('an operation', () => {
  test('carries out an act on more than 1 000 jobs, each once, up to the newest that was there', async () => {
    await createAdminKey('operator')
    await insertJobs(actAtOnceMax + 700, 'failed_permanent')
    const operation = operationOf(await queue.actAs(by).many.requeue({ status: 'failed_permanent' }))
    expect(operation).toMatchObject({ state: 'running', expected: 1_700, expectedIsLeast: false })
    const newerJob = await runningJob(world)
    await retryOrDeadLetterJobs(database, [{ lease: newerJob.lease, error: 'e', waitMs: 0, permanent: true }])
    // Requeued jobs fail again before the operation ends: it must not requeue them a second time.
    await carryOutOperation(database)
    const worker = await newWorker(world)
    const reclaimed = await claim(world, worker, { limit: 10 })
    await retryOrDeadLetterJobs(
      database,
      reclaimed.map(({ lease }) => ({ lease, error: 'e', waitMs: 0, permanent: true })),
    )
    await carryOutAll()
    const ended = await queue.operations.get(operation.id)
    expect(ended).toMatchObject({ state: 'succeeded', changed: 1_700, skipped: 0 })
    expect(await countJobs()).toEqual([
      { status: 'failed_permanent', queue: 'default', count: 11 },
      { status: 'queued', queue: 'default', count: 1_690 },
    ])
    const { entries } = await queue.audit.list()
    expect(entries.map(({ count, target }) => [count, target])).toEqual([
      [200, operation.id],
      [500, operation.id],
      [500, operation.id],
      [500, operation.id],
      [0, operation.id],
    ])
  })

  test('over dead letters takes each once, whoever carries it out and however often they are killed', async () => {
    const deadLetterCount = 1_200 * scale
    const kills = scale === 1 ? 5 : 20
    await insertJobs(deadLetterCount, 'failed_permanent')
    await world.sql('ANALYZE queue.dead_letter_jobs')
    expect(await queue.operations.dryRunOfDeadLetters({})).toMatchObject({
      count: Math.min(deadLetterCount, 100_000),
    })
    const operation = operationOf(
      await queue.many.requeueDeadLetters({}, { all: true, rate: operationRateMax }),
    )
    await world.sql(`
      CREATE TABLE IF NOT EXISTS queue_touches (job_id uuid);
      TRUNCATE queue_touches;
      CREATE OR REPLACE FUNCTION queue_touch() RETURNS trigger LANGUAGE plpgsql AS
        $$ BEGIN INSERT INTO queue_touches VALUES (NEW.id); RETURN NEW; END $$;
      CREATE TRIGGER touched AFTER UPDATE ON queue.jobs FOR EACH ROW EXECUTE FUNCTION queue_touch()`)
    let killed = 0
    const killer = await world.session()
    const carryOut = async (): Promise<void> => {
      while ((await nextOperationMs(database).catch(() => 0)) !== null) {
        await carryOutOperation(database).catch(() => undefined)
      }
    }
    const kill = async (): Promise<void> => {
      for (let isRunning = true; isRunning; ) {
        const { rows } = await killer
          .query(
            `UPDATE queue.operations SET next_batch_at = now() WHERE state = 'running' AND next_batch_at > now()`,
          )
          .then(() =>
            killer.query(
              `SELECT EXISTS (SELECT FROM queue.operations WHERE state = 'running') AS running,
                    (SELECT count(*) FILTER (WHERE $1 AND pg_terminate_backend(pid))::int FROM pg_stat_activity
                      WHERE datname = current_database() AND state <> 'idle' AND pid <> pg_backend_pid()) AS killed`,
              [killed < kills],
            ),
          )
        killed += rows[0].killed
        isRunning = rows[0].running
      }
    }
    await Promise.all([carryOut(), carryOut(), kill()])
    await world.sql('DROP TRIGGER touched ON queue.jobs')
    expect(killed).toBeGreaterThan(0)
    expect(await queue.operations.get(operation.id)).toMatchObject({
      state: 'succeeded',
      changed: deadLetterCount,
    })
    expect(await countJobs()).toEqual([{ status: 'queued', queue: 'default', count: deadLetterCount }])
    const [touches] = await world.sql<{ all: number; jobs: number }>(
      'SELECT count(*)::int AS all, count(DISTINCT job_id)::int AS jobs FROM queue_touches',
    )
    expect(touches).toEqual({ all: deadLetterCount, jobs: deadLetterCount })
    process.stderr.write(
      `operation over ${deadLetterCount} dead letters: ${killed} kills, each job touched once\n`,
    )
  })

  test('deletes jobs that do not run, with all their rows; a purge deletes the waiting jobs of a queue', async () => {
    await runningJob(world)
    await insertJobs(3, 'succeeded')
    await insertJobs(2, 'failed_permanent')
    await insertJobs(4, 'queued', { queue: 'mail' })
    operationOf(await queue.many.purge('mail'))
    await carryOutAll()
    operationOf(await queue.many.delete({ queue: 'default' }))
    await carryOutAll()
    expect(await countJobs()).toEqual([{ status: 'running', queue: 'default', count: 1 }])
    expect((await queue.deadLetters.list()).deadLetters).toEqual([])
  })

  test('that erases leaves no job, and none in the audit log', async () => {
    await createAdminKey('operator')
    const [job, keptJob] = await enqueueProbes(world, 2, { tenantId: 'acme' })
    const acts = queue.actAs(by)
    await acts.cancel(job?.id as string)
    await acts.many.cancel({ tenantId: 'acme' })
    const operation = operationOf(await acts.many.erase({ tenantId: 'acme' }))
    await carryOutAll()
    expect(await queue.operations.get(operation.id)).toMatchObject({ state: 'succeeded', changed: 2 })
    expect(await queue.get(keptJob?.id as string)).toBeUndefined()
    const { entries } = await queue.audit.list()
    expect(entries.flatMap(({ jobIds }) => jobIds)).toEqual([])
    expect(entries.map(({ act, count }) => [act, count])).toEqual([
      ['job.erase', 2],
      ['job.erase', 0],
      ['job.cancel', 1],
      ['job.cancel', 1],
    ])
  })

  test('that erases for a tenant leaves the filters of who is bound to none', async () => {
    await createAdminKey('operator')
    await createAdminKey('ofacme01', 'acme')
    await enqueueProbes(world, 2, { tenantId: 'acme' })
    await queue.actAs(by).many.cancel({ tenantId: 'acme' })
    await queue.actAs(by).many.cancel({ queue: 'default' }, { rate: 1_000 })
    await carryOutAll()
    const scoped = scopeQueue(queue, { tenantId: 'acme' })
    const erasure = operationOf(await scoped.actAs({ ...by, id: 'ofacme01' }).many.erase({}, { all: true }))
    await carryOutAll()
    expect(await queue.operations.get(erasure.id)).toMatchObject({ state: 'succeeded', changed: 2 })
    const { entries } = await queue.audit.list()
    expect(entries.flatMap(({ jobIds }) => jobIds)).toEqual([])
    const filters = entries.filter(({ act }) => act === 'job.cancel').map(({ filter }) => filter)
    expect(filters).toContainEqual({ tenant_id: 'acme' })
    expect(filters).toContainEqual({ queue: 'default' })
  })

  test('finds jobs by their metadata, with any plan, and deletes the metadata with them', async () => {
    const metadata = { order: 1, part: 'a' }
    for (const part of ['a', 'b', 'a']) await queue.enqueue(probe, {}, { metadata: { ...metadata, part } })
    await queue.enqueue(probe, {})
    const waiting = { status: 'queued', metadata } as const
    expect(await queue.operations.dryRun('cancel', waiting)).toMatchObject({ count: 2, isLeast: false })
    expect((await queue.list(waiting)).jobs).toHaveLength(2)
    expect(await queue.many.cancel({ metadata })).toMatchObject({ outcome: 'done', skipped: 0 })
    const operation = operationOf(await queue.many.delete({ metadata: { order: '1' } }))
    await carryOutAll()
    expect(await queue.operations.get(operation.id)).toMatchObject({ state: 'succeeded', changed: 3 })
    expect(await world.sql('SELECT FROM queue.job_metadata')).toEqual([])
    expect(await countJobs()).toEqual([{ status: 'queued', queue: 'default', count: 1 }])
  })

  test('skips jobs whose unique key another one holds, and takes the slots of those that it removes', async () => {
    const unique = { key: 'u', scope: 'live' } as const
    const cancelled: string[] = []
    for (let n = 0; n < 2; n += 1) {
      const { job } = await queue.enqueue(probe, {}, { unique })
      await queue.cancel(job.id)
      cancelled.push(job.id)
    }
    const [first, second] = cancelled
    const { job: holder } = await queue.enqueue(probe, {}, { unique })
    expect(await queue.many.requeue({}, { all: true })).toMatchObject({
      outcome: 'done',
      jobIds: [],
      skipped: 2,
    })
    const waiting = await queue.enqueue(probe, {}, { unique: { key: 'w', scope: 'waiting' } })
    await queue.cancel(waiting.job.id)
    await queue.cancel(holder.id)
    await world.sql('DELETE FROM queue.jobs WHERE id = $1', [holder.id])
    const operation = operationOf(await queue.many.requeue({}, { all: true, rate: operationRateMax }))
    await carryOutAll()
    expect(await queue.operations.get(operation.id)).toMatchObject({ changed: 2, skipped: 1 })
    expect(await queue.enqueue(probe, {}, { unique })).toMatchObject({
      conflict: 'returned',
      job: { id: first },
    })
    expect(await queue.get(waiting.job.id)).toMatchObject({ status: 'queued', uniqueScope: null })
    await expect(queue.requeue(second as string)).rejects.toMatchObject({ code: 'unique_conflict' })
    operationOf(await queue.many.delete({}, { all: true }))
    await carryOutAll()
    expect(await world.sql(`SELECT FROM queue.job_unique_slots WHERE key = 'u'`)).toEqual([])
    expect(await queue.enqueue(probe, {}, { unique })).not.toHaveProperty('conflict')
  })

  test('skips dead letters whose unique key another job holds, also those of pruned jobs', async () => {
    const unique = { key: 'u', scope: 'live' } as const
    const dead = async (): Promise<string> => {
      await queue.enqueue(probe, {}, { unique })
      const [claimed] = await claim(world, await newWorker(world))
      if (claimed === undefined) throw new Error('nothing was claimed')
      await retryOrDeadLetterJobs(database, [
        { lease: claimed.lease, error: 'e', waitMs: 0, permanent: true },
      ])
      return claimed.id
    }
    const ids = [await dead(), await dead()]
    await world.sql('DELETE FROM queue.jobs WHERE id = $1', [ids[0]])
    const { job: holder } = await queue.enqueue(probe, {}, { unique })
    expect(await queue.many.requeueDeadLetters({}, { all: true })).toMatchObject({ jobIds: [], skipped: 2 })
    await queue.cancel(holder.id)
    expect(await queue.many.requeueDeadLetters({}, { all: true })).toMatchObject({
      jobIds: [ids[0]],
      skipped: 1,
    })
    expect(await queue.get(ids[0] as string)).toMatchObject({ status: 'queued', uniqueKey: 'u' })
  })

  test('finds jobs by the causes of their failures, and removes their logs and samples', async () => {
    const ids = (await enqueueProbes(world, 3)).map(({ id }) => id)
    const claimed = await claim(world, await newWorker(world), { limit: 3 })
    const [fingerprint = '', otherFingerprint = ''] = ['a', 'b'].map((digit) => digit.repeat(16))
    const causes = new Map([
      [ids[0], fingerprint],
      [ids[1], otherFingerprint],
    ])
    await writeLogs(
      database,
      claimed.map(({ lease }) => ({
        lease,
        attempt: 1,
        lines: [{ line: 1, atMs: 0, level: 'info', message: 'of somebody', fieldsText: null }],
      })),
    )
    await retryOrDeadLetterJobs(
      database,
      claimed.map(({ lease, id }) => ({
        lease,
        error: 'of somebody',
        waitMs: 0,
        permanent: false,
        ...(causes.has(id) && { cause: { errorClass: 'Error', fingerprint: causes.get(id) ?? '' } }),
      })),
    )
    const filter = { fingerprint } as const
    expect((await queue.list(filter)).jobs).toMatchObject([{ id: ids[0] }])
    expect((await scopeQueue(world.queue, { tenantId: 'evil' }).list(filter)).jobs).toEqual([])
    expect(await queue.operations.dryRun('cancel', filter)).toMatchObject({ sample: [ids[0]] })
    const several = { fingerprint: [otherFingerprint, fingerprint, 'c'.repeat(16)] } as const
    expect((await queue.list(several)).jobs).toMatchObject([{ id: ids[1] }, { id: ids[0] }])
    expect((await queue.errors(several)).groups).toHaveLength(2)
    expect(await queue.many.cancel({ fingerprint: [otherFingerprint] })).toMatchObject({ jobIds: [ids[1]] })
    const requeued = operationOf(await queue.many.requeue(several, { rate: 1 }))
    expect(requeued).toMatchObject({ expected: 1, filter: several })
    await carryOutAll()
    expect(await queue.operations.get(requeued.id)).toMatchObject({ state: 'succeeded', changed: 1 })
    await expect(queue.list({ fingerprint: [] })).rejects.toMatchObject({ code: 'invalid_options' })
    operationOf(await queue.many.erase(filter))
    await carryOutAll()
    const rest = [{ job_id: ids[1] }, { job_id: ids[2] }]
    expect((await queue.list()).jobs).toMatchObject([{ id: ids[2] }, { id: ids[1] }])
    expect((await queue.errors(filter)).groups).toMatchObject([{ count: 1, sampleError: 'erased' }])
    expect(await world.sql('SELECT DISTINCT job_id FROM queue.job_logs ORDER BY 1')).toEqual(rest)
    expect(await world.sql('SELECT DISTINCT job_id FROM queue.job_executions ORDER BY 1')).toEqual(rest)
  })

  test('a requeue leaves receipts alone, and jobs whose expiry has passed', async () => {
    const { job: receipt } = await queue.enqueue(probe, {}, { idempotencyKey: 'known' })
    await queue.cancel(receipt.id)
    await world.sql('SELECT queue.strip_jobs($1::uuid[])', [[receipt.id]])
    await expect(queue.duplicate(receipt.id)).rejects.toMatchObject({ code: 'invalid_transition' })
    expect(await queue.many.requeue({}, { all: true })).toMatchObject({ jobIds: [], skipped: 0 })
    await world.sql('DELETE FROM queue.jobs')
    await insertJobs(2, 'cancelled')
    await world.sql(
      `UPDATE queue.jobs SET cancel_reason = 'expired', expires_at = finished_at WHERE id = (SELECT min(id::text)::uuid FROM queue.all_jobs)`,
    )
    expect(await queue.many.requeue({}, { all: true })).toMatchObject({
      jobIds: [expect.anything()],
      skipped: 0,
    })
    expect(await world.sql('SELECT cancel_reason, status FROM queue.all_jobs ORDER BY id')).toEqual([
      { cancel_reason: 'expired', status: 'cancelled' },
      { cancel_reason: null, status: 'queued' },
    ])
  })

  test('stops when it is cancelled, and when whoever asked may no longer do it', async () => {
    await createAdminKey('operator')
    await createAdminKey('revoked0')
    await insertJobs(1_500, 'queued')
    const cancelled = operationOf(await queue.actAs(by).many.cancel({}, { all: true }))
    await carryOutOperation(database)
    expect(await queue.many.cancelOperation(cancelled.id)).toMatchObject({ state: 'cancelled', changed: 500 })
    const refused = operationOf(
      await queue.actAs({ ...by, id: 'revoked0' }).many.delete({ status: 'queued' }),
    )
    await revokeKey(database, 'revoked0')
    await carryOutAll()
    expect(await queue.operations.get(refused.id)).toMatchObject({
      state: 'refused',
      changed: 0,
      reason: 'the API key that started it is revoked',
    })
    expect(await countJobs()).toEqual([
      { status: 'cancelled', queue: 'default', count: 500 },
      { status: 'queued', queue: 'default', count: 1_000 },
    ])
    const subject = {
      type: 'subject',
      id: 'somebody',
      rightsEndAt: new Date(Date.now() + 3_600_000),
    } as const
    const outlived = operationOf(await queue.actAs(subject).many.cancel({}, { all: true, rate: 4 }))
    await carryOutOperation(database)
    await world.sql(
      `UPDATE queue.operations SET rights_end_at = now(), next_batch_at = now() WHERE id = $1`,
      [outlived.id],
    )
    await carryOutAll()
    expect(await queue.operations.get(outlived.id)).toMatchObject({
      state: 'refused',
      changed: 1,
      reason: 'the credential that started it has expired: start it again',
    })
    await world.sql('DELETE FROM queue.operations WHERE id = $1', [outlived.id])
    const page = await queue.operations.list({ limit: 1 })
    expect(page.operations).toMatchObject([{ id: refused.id }])
    const rest = await queue.operations.list({ cursor: page.nextCursor as string })
    expect(rest).toMatchObject({ operations: [{ id: cancelled.id }], nextCursor: null })
    await world.sql(`UPDATE queue.operations SET finished_at = now() - interval '2 hours' WHERE id = $1`, [
      cancelled.id,
    ])
    expect(await pruneOperations(database, 3_600_000)).toBe(1)
    expect(await queue.operations.get(cancelled.id)).toBeUndefined()
  })

  test('that is cancelled in the midst of it has stopped when that is answered, within two seconds', async () => {
    const jobs = 6_000 * scale
    await insertJobs(jobs, 'queued')
    const { id } = operationOf(await queue.many.cancel({}, { all: true }))
    const carryOut = async (): Promise<void> => {
      while ((await nextOperationMs(database)) !== null) await carryOutOperation(database)
    }
    const carryingOut = Promise.all([carryOut(), carryOut()])
    await until('it is under way', async () => ((await queue.operations.get(id))?.changed ?? 0) >= 1_000)
    const cancelSentMs = performance.now()
    const { state, changed } = await queue.many.cancelOperation(id)
    const answerMs = performance.now() - cancelSentMs
    await carryingOut
    expect({ state, isInTime: answerMs <= 2_000 || answerMs }).toEqual({
      state: 'cancelled',
      isInTime: true,
    })
    expect(changed).toBeLessThan(jobs)
    expect(await countJobs()).toEqual(
      expect.arrayContaining([{ status: 'cancelled', queue: 'default', count: changed }]),
    )
  })

  test('of a caller with bounds stays within them, and is for nobody else to see', async () => {
    await createAdminKey('ofacme00', 'acme')
    await insertJobs(5, 'queued', { queue: 'mail', tenant: 'acme' })
    await insertJobs(5, 'queued', { queue: 'mail', tenant: 'evil' })
    const acmeQueue = scopeQueue(world.queue, { tenantId: 'acme' })
    const operation = operationOf(
      await acmeQueue.actAs({ ...by, id: 'ofacme00' }).many.delete({ queue: 'mail' }),
    )
    await carryOutAll()
    expect(await acmeQueue.operations.get(operation.id)).toMatchObject({ state: 'succeeded', changed: 5 })
    expect(await world.sql('SELECT DISTINCT tenant_id FROM queue.all_jobs')).toEqual([{ tenant_id: 'evil' }])
    const otherQueue = scopeQueue(world.queue, { tenantId: 'evil' })
    expect(await otherQueue.operations.get(operation.id)).toBeUndefined()
    expect((await otherQueue.operations.list()).operations).toEqual([])
    await expect(otherQueue.actAs(by).many.cancelOperation(operation.id)).rejects.toMatchObject({
      code: 'operation_not_found',
    })
  })

  test('of a key without a tenant that named one is carried out there, while the key keeps its bounds', async () => {
    await createAdminKey('anywhere')
    await insertJobs(5, 'queued', { queue: 'mail', tenant: 'acme' })
    await insertJobs(5, 'queued', { queue: 'mail', tenant: 'evil' })
    const start = async () => {
      const acmeQueue = scopeQueue(world.queue, { tenantId: 'acme' })
      return operationOf(
        await acmeQueue.actAs({ ...by, id: 'anywhere', tenantId: 'acme' }).many.delete({ queue: 'mail' }),
      )
    }
    const operation = await start()
    await carryOutAll()
    expect(await queue.operations.get(operation.id)).toMatchObject({ state: 'succeeded', changed: 5 })
    expect(await world.sql('SELECT DISTINCT tenant_id FROM queue.all_jobs')).toEqual([{ tenant_id: 'evil' }])
    for (const bounds of [`tenant_id = 'evil'`, `queues = '{sms}', tenant_id = NULL`]) {
      const later = await start()
      await world.sql(`UPDATE queue.api_keys SET ${bounds} WHERE id = 'anywhere'`)
      await carryOutAll()
      expect(await queue.operations.get(later.id)).toMatchObject({ state: 'refused', changed: 0 })
      await world.sql(`UPDATE queue.api_keys SET queues = NULL, tenant_id = NULL WHERE id = 'anywhere'`)
    }
  })

  test('changes no more jobs a second than its rate', async () => {
    await insertJobs(300, 'queued')
    operationOf(await queue.many.cancel({}, { all: true, rate: 40 }))
    const batch = await carryOutOperation(database)
    expect(batch?.jobs).toHaveLength(10)
    expect(await carryOutOperation(database)).toBeUndefined()
    await world.sql(`UPDATE queue.operations SET next_batch_at = next_batch_at - interval '250 milliseconds'`)
    expect((await carryOutOperation(database))?.jobs).toHaveLength(10)
  })

  test('of one caller is delayed by many slow ones of another, and of its tenant, by single batches', async () => {
    for (const [id, tenant] of [
      ['slow0001', 'evil'],
      ['slow0002', 'evil'],
      ['victim01', 'acme'],
    ] as const)
      await createAdminKey(id, tenant)
    const [evil, acme] = ['evil', 'acme'].map((tenantId) => scopeQueue(world.queue, { tenantId })) as [
      ScopedQueue,
      ScopedQueue,
    ]
    await insertJobs(100, 'queued', { tenant: 'evil' })
    await insertJobs(1_200, 'queued', { tenant: 'acme' })
    for (const id of ['slow0001', 'slow0002'])
      for (let n = 0; n < 10; n += 1) await evil.actAs({ ...by, id }).many.cancel({}, { all: true, rate: 1 })
    for (let n = 0; n < 3; n += 1) await carryOutOperation(database)
    const operation = operationOf(await acme.actAs({ ...by, id: 'victim01' }).many.cancel({}, { all: true }))
    // Its 1 200 jobs are three batches, and the other tenant has a turn between two of them.
    for (let n = 0; n < 5; n += 1) await carryOutOperation(database)
    expect(await queue.operations.get(operation.id)).toMatchObject({ state: 'succeeded', changed: 1_200 })
    const turns = await world.sql<{ actor: string; batches: number }>(
      `SELECT actor, sum(changed)::int AS batches FROM queue.operations WHERE actor LIKE 'slow%' GROUP BY 1 ORDER BY 1`,
    )
    expect(Math.abs((turns[0]?.batches ?? 0) - (turns[1]?.batches ?? 0))).toBeLessThanOrEqual(1)
  })

  /** Adds operations like the newest one of this tenant. */
  async function copyOperations(tenantId: string, count: number): Promise<void> {
    await world.sql(
      `INSERT INTO queue.operations (id, tenant_id, scope, act, filter, actor_type, actor, rate, up_to, expected, expected_is_least)
       SELECT gen_random_uuid(), tenant_id, scope, act, filter, actor_type, actor, rate, up_to, expected, expected_is_least
         FROM (SELECT * FROM queue.operations WHERE tenant_id = $1 ORDER BY created_at DESC LIMIT 1) AS o, generate_series(1, $2::int)`,
      [tenantId, count],
    )
  }

  test('is refused beyond a number for its caller and its tenant, and starts again once one has ended', async () => {
    const start = (actor: Actor, within: Pick<ScopedQueue, 'actAs'> = queue) =>
      within.actAs(actor).many.cancel({}, { all: true, rate: 1 })
    const first = operationOf(await start(by))
    await copyOperations('', callerOperationsMax - 1)
    await expect(start(by)).rejects.toMatchObject({ code: 'too_many_operations' })
    await start({ ...by, id: 'another1' })
    await start({ type: 'token', id: 'token' })
    await queue.many.cancelOperation(first.id)
    await start(by)
    const acme = scopeQueue(world.queue, { tenantId: 'acme' })
    for (let n = 0; n < 5; n += 1) await start({ ...by, id: `ofacme${n}0` }, acme)
    await copyOperations('acme', tenantOperationsMax - 5)
    await expect(start({ ...by, id: 'ofacme40' }, acme)).rejects.toMatchObject({
      code: 'too_many_operations',
    })
  })

  test('fails where the database refuses a change, and says so', async () => {
    await insertJobs(1_100, 'queued')
    await world.sql(`ALTER TABLE queue.jobs ADD CONSTRAINT mine CHECK (status <> 'cancelled') NOT VALID`)
    const operation = operationOf(await queue.many.cancel({}, { all: true }))
    expect(await carryOutOperation(database)).toMatchObject({ state: 'failed' })
    await world.sql('ALTER TABLE queue.jobs DROP CONSTRAINT mine')
    expect(await queue.operations.get(operation.id)).toMatchObject({ state: 'failed', changed: 0 })
  })
})

describe('an edit', () => {
  test('changes what waits, says what was there, and leaves the fingerprint of its key', async () => {
    const { job } = await queue.enqueue(probe, { a: 1 }, { idempotencyKey: 'k', maxAttempts: 2 })
    const runAt = new Date(Date.now() + 60_000)
    const edited = await queue
      .actAs(by)
      .edit(
        job.id,
        { priority: 1, runAt, timeoutMs: 5, work: { definition: probe, payload: { a: 2 } } },
        { ifUpdatedAt: job.updatedAt },
      )
    expect(edited.job).toMatchObject({ priority: 1, runAt, timeoutMs: 5, payload: { a: 2 }, maxAttempts: 2 })
    expect(edited.previous).toMatchObject({ priority: 4, timeoutMs: null, payload: { a: 1 }, kindVersion: 1 })
    expect(edited.previous).not.toHaveProperty('maxAttempts')
    expect(await queue.get(job.id)).toEqual(edited.job)
    expect(await queue.edit(job.id, { weight: 7 })).toMatchObject({
      job: { weight: 7 },
      previous: { weight: 1 },
    })
    expect(await queue.enqueue(probe, { a: 1 }, { idempotencyKey: 'k' })).toMatchObject({
      replayed: true,
      mismatched: false,
    })
    const metadata = { order: 7 }
    expect(await queue.edit(job.id, { metadata })).toMatchObject({
      job: { metadata },
      previous: { metadata: null },
    })
    expect((await queue.list({ metadata })).jobs).toMatchObject([{ id: job.id }])
    expect(await queue.edit(job.id, { metadata: null, weight: 1 })).toMatchObject({
      job: { weight: 1 },
      previous: { metadata, weight: 7 },
    })
    expect(await world.sql('SELECT FROM queue.job_metadata')).toEqual([])
    await expect(queue.edit(job.id, { priority: 2 }, { ifUpdatedAt: job.updatedAt })).rejects.toMatchObject({
      code: 'job_changed',
    })
    await expect(
      queue.edit(job.id, { work: { definition: probe, payload: { a: ['***'] } } }),
    ).rejects.toMatchObject({ code: 'invalid_job' })
  })

  test('of a running job is refused, and so are too few attempts', async () => {
    const { id, lease } = await runningJob(world)
    await expect(queue.edit(id, { priority: 1 })).rejects.toMatchObject({ code: 'invalid_transition' })
    await expect(queue.runNow(id)).rejects.toMatchObject({ code: 'invalid_transition' })
    await retryOrDeadLetterJobs(database, [{ lease, error: 'e', waitMs: 3_600_000, permanent: false }])
    await expect(queue.edit(id, { maxAttempts: 1 })).rejects.toMatchObject({ code: 'invalid_job' })
    expect(await queue.runNow(id)).toMatchObject({ status: 'retrying' })
    expect(await claim(world, await newWorker(world))).toMatchObject([{ id }])
  })

  test('duplicates a job in any state, without its keys', async () => {
    const unique = { key: 'u', scope: 'live' } as const
    const { job } = await queue.enqueue(probe, { a: 1 }, { idempotencyKey: 'k', priority: 2, unique })
    const withoutKeys = { idempotencyKey: null, uniqueKey: null, uniqueScope: null }
    expect(await queue.duplicate(job.id)).toMatchObject({ payload: { a: 1 }, priority: 2, ...withoutKeys })
    expect(await queue.edit(job.id, { priority: 3 })).toMatchObject({ job: { uniqueKey: 'u' } })
    expect(await queue.enqueue(probe, {}, { unique })).toMatchObject({ job: { id: job.id } })
    await queue.cancel(job.id)
    const copy = await queue.duplicate(job.id)
    expect(copy).toMatchObject({ status: 'queued', payload: { a: 1 }, priority: 3, ...withoutKeys })
    expect(copy.id).not.toBe(job.id)
  })

  test('duplicates metadata and weight of a job, but no expiry that has passed', async () => {
    const metadata = { order: 1 }
    const { job } = await queue.enqueue(probe, {}, { metadata, expiresInMs: 60_000, weight: 3 })
    const { expiresAt } = job
    expect(await queue.duplicate(job.id)).toMatchObject({ metadata, expiresAt, weight: 3 })
    expect((await queue.list({ metadata })).jobs).toHaveLength(2)
    await world.sql(
      `UPDATE queue.jobs SET expires_at = now(), status = 'cancelled', finished_at = now() WHERE id = $1`,
      [job.id],
    )
    expect(await queue.duplicate(job.id)).toMatchObject({ status: 'queued', metadata, expiresAt: null })
  })

  test('races a claim: the job runs with the one or the other, and the loser is refused', async () => {
    const worker = await newWorker(world, { leaseMs: 3_600_000 })
    const races = 60 * scale
    const counts = { edited: 0, refused: 0 }
    // By chance or on a busy machine, one side may win many races in a row.
    const mustGoOn = (n: number): boolean =>
      n < races || (Math.min(counts.edited, counts.refused) === 0 && n < 20 * races)
    for (let n = 0; mustGoOn(n); n += 1) {
      const { job } = await queue.enqueue(probe, { v: 'old' }, { timeoutMs: 1 })
      const edit = queue
        .edit(job.id, { timeoutMs: 2, work: { definition: probe, payload: { v: 'new' } } })
        .then(
          () => 'edited' as const,
          (error: { code: string }) => {
            expect(error.code).toBe('invalid_transition')
            return 'refused' as const
          },
        )
      const [outcome, first] = await Promise.all([edit, claim(world, worker)])
      const [claimed] = first.length > 0 ? first : await claim(world, worker)
      counts[outcome] += 1
      expect(claimed).toMatchObject(
        outcome === 'edited'
          ? { payload: { v: 'new' }, timeoutMs: 2 }
          : { payload: { v: 'old' }, timeoutMs: 1 },
      )
    }
    expect(counts.edited).toBeGreaterThan(0)
    expect(counts.refused).toBeGreaterThan(0)
  })
})
