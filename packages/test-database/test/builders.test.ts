import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { jobStatuses, sendEmail } from '@queue/core'
import { claimJobs, ClaimMemory, finishJobs, recoverJobs, databaseOf } from '@queue/core/internal'
import {
  addUpStats,
  assertInvariants,
  createTestDatabase,
  insertJob,
  insertWorker,
  type JobOverrides,
  type TestDatabase,
} from '../src/index.ts'
import { type Invariant, invariants } from '../src/invariants.ts'

let database: TestDatabase

beforeAll(async () => {
  database = await createTestDatabase()
})

afterAll(async () => {
  await database.close()
})

async function clear(): Promise<void> {
  await database.pool.query(
    `TRUNCATE queue.lanes, queue.jobs, queue.ended_jobs, queue.job_metadata, queue.job_executions, queue.job_logs, queue.job_errors,
       queue.job_error_days,
       queue.job_stats, queue.dead_letter_jobs, queue.workers, queue.audit_log, queue.api_key_buckets, queue.waiting_counts`,
  )
}

describe('insertJob', () => {
  test.each(jobStatuses)('writes a %s job that satisfies every invariant', async (status) => {
    const job = await insertJob(database, { status })
    expect(job.status).toBe(status)
    expect(await database.queue.get(job.id)).toEqual(job)
    await assertInvariants(database)
  })

  test('uses every value that is passed', async () => {
    const runAt = new Date('2030-01-02T03:04:05.678Z')
    const values = {
      queue: 'mail',
      kind: 'send_email',
      tenantId: 'tenant',
      payload: { to: 'é', list: [1, null] },
      priority: 0,
      attempts: 2,
      maxAttempts: 7,
      timeoutMs: 1_500,
      retryPolicy: { type: 'fixed', baseMs: 250 },
      crashes: 1,
      lastError: 'it failed',
      progress: 50,
      progressMessage: 'half',
      runAt,
      idempotencyKey: 'key',
      traceContext: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
    } as const satisfies JobOverrides
    const job = await insertJob(database, { status: 'retrying', ...values })
    expect(job).toMatchObject(values)
    await assertInvariants(database)
  })

  test('gives ids in the order of creation, and computes times from the database clock', async () => {
    const older = await insertJob(database, {
      createdAt: { msFromNow: -60_000 },
      runAt: { msFromNow: 60_000 },
    })
    const newer = await insertJob(database)
    expect(older.id < newer.id).toBe(true)
    const ages = await database.pool.query(
      `SELECT round(extract(epoch FROM now() - created_at)) AS age, run_at > now() AS later
         FROM queue.all_jobs WHERE id = $1`,
      [older.id],
    )
    expect(Number(ages.rows[0].age)).toBeGreaterThanOrEqual(60)
    expect(ages.rows[0].later).toBe(true)
  })

  test('creates jobs that workers can claim, finish and recover', async () => {
    await clear()
    const workerId = await insertWorker(database)
    const lostWorker = await insertWorker(database, { state: 'lost', leaseMs: -1_000 })
    const ready = await insertJob(database)
    const orphan = await insertJob(database, { status: 'running', lockedBy: lostWorker, attempts: 3 })
    const { jobs } = await claimJobs(databaseOf(database.queue), {
      workerId,
      kinds: ['test_job'],
      limit: 10,
      memory: new ClaimMemory(['default']),
      eligible: 'any',
      answerWithinMs: 60_000,
      clock: { nowMs: () => undefined },
    })
    expect(jobs.map((job) => job.id)).toEqual([ready.id])
    const writes = jobs.map(({ lease }) => ({ lease, resultText: '1', note: null }))
    await finishJobs(databaseOf(database.queue), writes)
    const recovery = await recoverJobs(databaseOf(database.queue))
    expect(recovery.jobs).toMatchObject([{ id: orphan.id, status: 'failed_permanent' }])
    await assertInvariants(database)
  })
})

describe('assertInvariants', () => {
  const archivedCopy =
    'INSERT INTO queue.ended_jobs SELECT (jsonb_populate_record(NULL::queue.ended_jobs, to_jsonb(j))).* FROM queue.jobs AS j'
  /** SQL that breaks each invariant of a consistent database. Constraints that would refuse it are dropped first. */
  const breaches = {
    'attempts are between 0 and max_attempts': {
      status: 'retrying',
      change: 'attempts = 4, lease_token = 4',
    },
    'every attempt was claimed under a token of its own': { status: 'retrying', change: 'lease_token = 0' },
    'exactly the running jobs are locked': { status: 'queued', change: "locked_by = 'w', locked_at = now()" },
    'no job is in both places': {
      status: 'succeeded',
      table: 'job_logs',
      change: `line = line; ${archivedCopy}`,
    },
    'a job left its table at most a day after the day of its id': {
      status: 'succeeded',
      table: 'job_logs',
      change: `line = line; ${archivedCopy}; UPDATE queue.ended_jobs SET finished_at = now() + interval '3 days'; DELETE FROM queue.jobs`,
    },
    'exactly the ended jobs have an end': { status: 'succeeded', change: 'finished_at = NULL' },
    'a queued job has used no attempt, a running one at least one': {
      status: 'queued',
      change: 'attempts = 1, lease_token = 1',
    },
    'a waiting job can be claimed': { status: 'retrying', change: 'cancel_requested = true' },
    'only a job that succeeded has a result': { status: 'retrying', change: "result = '1'" },
    'an idempotency key has its fingerprint, and a scope its unique key': {
      status: 'queued',
      change: "idempotency_key = 'k'",
    },
    'every job that failed for good has its dead letter': {
      status: 'cancelled',
      change: "status = 'failed_permanent'",
    },
    'every dead letter is of a job that failed for good': {
      status: 'failed_permanent',
      change: "status = 'cancelled'",
    },
    'a dead letter ends with the attempt that dead-lettered the job': {
      status: 'failed_permanent',
      table: 'dead_letter_jobs',
      change: "execution_history = '[]'",
    },
    'a job succeeds once, and nothing follows': {
      status: 'retrying',
      table: 'job_executions',
      change: "outcome = 'succeeded'",
    },
    'only a job that succeeded has an attempt that did': {
      status: 'retrying',
      change: "started_at = now(), worker_id = 'test-worker'",
    },
    'a job that succeeded has the attempt that did': {
      status: 'succeeded',
      change: 'started_at = NULL, worker_id = NULL',
    },
    'an attempt is recorded under a token that was given out, and ends after it began': {
      status: 'retrying',
      table: 'job_executions',
      change: "finished_at = started_at - interval '1 second'",
    },
    'every attempt that was charged runs, or has its history': {
      status: 'retrying',
      table: 'job_executions',
      change: "outcome = 'released'",
    },
    'every lost attempt counts as a crash': {
      status: 'retrying',
      table: 'job_executions',
      change: "outcome = 'lost'",
    },
    'what jobs are found by is their metadata, member by member': {
      status: 'queued',
      table: 'job_metadata',
      change: "value = '4712'",
    },
    'a receipt is of a job that has ended, has its idempotency key, and nothing of what it carried': {
      status: 'succeeded',
      change: 'stripped_at = now()',
    },
    'no job begins for the first time after its expiry': {
      status: 'running',
      change: "expires_at = locked_at - interval '1 second'",
    },
    'only what was cancelled has a reason for it, and what has expired had never begun': {
      status: 'succeeded',
      change: "cancel_reason = 'expired'",
    },
    'what has replaced a schema of a version is not what it has replaced, and is as new as it says': {
      status: 'queued',
      table: 'job_kinds',
      change: 'superseded = ARRAY[digest]',
    },
    'a kind is retired with all its versions that were there': {
      status: 'queued',
      table: 'job_kinds',
      change: 'retired_at = CASE WHEN version = 2 THEN now() END',
    },
    'a schedule has a time at which it is due exactly where it has a next instant, and not before it': {
      status: 'queued',
      table: 'schedules',
      change: "due_at = next_run_at + interval '1 hour'",
    },
    'a schedule goes forward: its next instant comes after its last': {
      status: 'queued',
      table: 'schedules',
      change: 'last_run_at = next_run_at',
    },
    'a line that was logged is of a job that is there, and of a lease that was given out': {
      status: 'running',
      table: 'job_logs',
      change: 'lease_token = lease_token + 1',
    },
    'an attempt keeps 1 000 lines, and one that counts the others': {
      status: 'running',
      table: 'job_logs',
      change: `message = repeat('x', 600000)`,
    },
    'the numbers of an hour are at least those of its minutes': {
      status: 'queued',
      table: 'job_stats',
      change: `started = started + 1 WHERE period = 'minute'`,
    },
    'the numbers of a queue, and of everything, are the sums of their series': {
      status: 'queued',
      table: 'job_stats',
      change: `started = started + 1 WHERE queue = '*'`,
    },
    'a failure that has a cause is counted': {
      status: 'failed_permanent',
      table: 'job_executions',
      change: `outcome = 'failed', error_class = 'Error', fingerprint = '0123456789abcdef'`,
    },
    'the failures of a cause are those of its hours': {
      status: 'queued',
      table: 'job_errors',
      change: 'count = 2',
    },
    'no instant that a schedule has still to fire has a job': {
      status: 'queued',
      change: "idempotency_key = 'schedule:tick@2999-01-01T00:00:00Z', idempotency_fingerprint = ''",
    },
    'a dead letter is of the tenant of its job': {
      status: 'failed_permanent',
      table: 'dead_letter_jobs',
      change: "tenant_id = 'another'",
    },
    'an entry of the audit log has an actor, and counts the jobs that it names': {
      status: 'queued',
      table: 'audit_log',
      change: "at = now() + interval '1 hour'",
    },
    'the bucket of a key holds no less than nothing, and has given nothing to come': {
      status: 'queued',
      table: 'api_key_buckets',
      change: 'tokens = -1',
    },
    'the slot of a unique key names the job that holds it': {
      status: 'running',
      change: "unique_key = 'u', unique_scope = 'live'",
    },
    'an operation has not gone past the newest job that it reaches, and has ended exactly where it does not run':
      {
        status: 'queued',
        table: 'operations',
        change: "reached = 'ffffffff-ffff-ffff-ffff-ffffffffffff'",
      },
    'a job with a key that waits has an event to come, or a lane that begins before it': {
      status: 'queued',
      change: "key = 'a'",
    },
    'exactly running jobs are counted': { status: 'queued', change: 'counted = 1' },
    'each counter of a limit has the jobs that it counts, and those that have ended since a claim last looked':
      {
        status: 'running',
        change: 'counted = 1',
      },
    'a lane is full only under a limit of its key': {
      status: 'queued',
      table: 'lanes',
      change: 'is_full = true',
    },
    'a lane that is ready in a fair queue has its turns': {
      status: 'queued',
      table: 'lanes',
      change: "share = 'a'",
    },
    'each limit on what waits has its count, and each count its limit': {
      status: 'queued',
      change: `key = NULL;
        INSERT INTO queue.waiting_counts (queue, tenant_id, waiting, counted_at) SELECT 'default', id::text, 0, now() FROM queue.all_jobs`,
    },
    'jobs of a key in order run one at a time, and none beside one that holds it for its retry': {
      status: 'running',
      change: `key = 'a';
        INSERT INTO queue.limits (queue, scope, on_retry, updated_at) VALUES ('default', 'each_key', 'block', '-infinity');
        INSERT INTO queue.jobs (id, kind, payload, status, attempts, lease_token, locked_by, locked_at, key)
        SELECT gen_random_uuid(), kind, payload, status, attempts, lease_token, locked_by, locked_at, key FROM queue.all_jobs`,
    },
  } as const satisfies Record<
    Invariant,
    { status: (typeof jobStatuses)[number]; change: string; table?: string }
  >

  beforeAll(async () => {
    const names = ['jobs_attempts_check', 'jobs_running_check', 'jobs_finished_check']
    for (const name of names) await database.pool.query(`ALTER TABLE queue.jobs DROP CONSTRAINT ${name}`)
  })

  /** A schedule whose last job is this one, and an operation up to it. */
  const insertSchedule = async (jobId: string) => {
    await database.pool.query('DELETE FROM queue.schedules; DELETE FROM queue.operations')
    await database.pool.query(
      `INSERT INTO queue.operations (id, act, filter, up_to, expected, expected_is_least)
       VALUES ($1, 'cancel', '{}', $1, 0, false)`,
      [jobId],
    )
    await database.pool.query(
      `INSERT INTO queue.schedules (name, kind, payload, options, every_ms, next_run_at, due_at, last_job_id)
       VALUES ('tick', 'send_email', '{}', '{}', 1000, now(), now(), $1)`,
      [jobId],
    )
  }

  /** Two versions of a kind, registered by this job. */
  const insertKind = async (jobId: string) => {
    await database.pool.query('DELETE FROM queue.job_kinds')
    await database.pool.query(
      `INSERT INTO queue.job_kinds (kind, version, payload_schema, digest, registered_by, registered_at, last_seen_at)
       SELECT 'letter', v, '{}', 'digest ' || v, $1, now() - interval '2 hours', now() - interval '1 hour'
         FROM generate_series(1, 2) AS v`,
      [jobId],
    )
  }

  /** An entry of the audit log about this job, by a key with the name of the job. */
  const insertAct = async (jobId: string) => {
    await database.pool.query(
      `INSERT INTO queue.audit_log (act, actor_type, actor, count, job_ids) VALUES ('job.cancel', 'key', $1::text, 1, ARRAY[$1::text::uuid])`,
      [jobId],
    )
    await database.pool.query(
      'INSERT INTO queue.api_key_buckets (key_id, tokens, granted) VALUES ($1, 1, 1)',
      [jobId],
    )
  }

  /** A lane whose key is the id of a job. */
  const insertLane = async (jobId: string) => {
    await database.pool.query(
      `INSERT INTO queue.lanes (queue, kind, key, priority, turn_at, head_at)
       VALUES ('default', 'send_email', $1, 4, now(), now())`,
      [jobId],
    )
  }

  test.each(Object.keys(invariants) as Invariant[])('detects that it is broken: %s', async (name) => {
    await clear()
    const breach: { status: (typeof jobStatuses)[number]; change: string; table?: string } = breaches[name]
    const job = await insertJob(database, { status: breach.status, metadata: { order_id: 4711 } })
    await insertSchedule(job.id)
    await insertKind(job.id)
    await insertAct(job.id)
    await database.pool.query(
      `INSERT INTO queue.job_logs (job_id, lease_token, line, attempt, at, level, message)
       SELECT id, lease_token, 1, 1, now(), 'info', 'm' FROM queue.all_jobs WHERE lease_token > 0`,
    )
    await database.pool.query(
      `INSERT INTO queue.job_stats (period, at, queue, kind, started)
       SELECT period, date_trunc('hour', now(), 'UTC'), 'default', $1, 1 FROM unnest('{minute,hour}'::text[]) AS period`,
      [job.id],
    )
    await addUpStats(database)
    await database.pool.query(
      `WITH e AS (INSERT INTO queue.job_errors (queue, fingerprint, kind, error_class, count, first_seen_at, last_seen_at,
                                                worker_versions, sampled_at, sample_job_id, sample_error)
                  VALUES ('default', '0123456789abcdef', 'k', 'Error', 1, now(), now(), '{}', now(), $1, 'Error') RETURNING id)
       INSERT INTO queue.job_error_days (error_id, day, version, count, hours)
       SELECT id, date_trunc('day', now(), 'UTC'), '', 1, array_fill(0, ARRAY[23]) || 1 FROM e`,
      [job.id],
    )
    await insertLane(job.id)
    await assertInvariants(database)
    await database.pool.query(`UPDATE queue.${breach.table ?? 'jobs'} SET ${breach.change}`)
    const check = assertInvariants(database)
    await expect(check).rejects.toThrow(`broken: ${name}`)
    await expect(check).rejects.toThrow(job.id)
  })

  test('ignores only the invariants that a test breaks on purpose', async () => {
    await clear()
    const name = 'every job that failed for good has its dead letter'
    await insertJob(database, { status: 'failed_permanent' })
    await database.pool.query('DELETE FROM queue.dead_letter_jobs')
    await assertInvariants(database, { except: [name] })
    await expect(assertInvariants(database)).rejects.toThrow(name)
  })

  test('holds while jobs are enqueued, cancelled and requeued', async () => {
    await clear()
    const payload = { to: 'somebody@example.com', subject: 'Hello', body: 'Hello' }
    const { job } = await database.queue.enqueue(sendEmail, payload)
    await database.queue.cancel(job.id)
    await assertInvariants(database)
    await database.queue.requeue(job.id)
    await assertInvariants(database)
  })
})
