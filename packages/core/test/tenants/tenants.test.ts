import { isDeepStrictEqual } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { createTestRoles, sessionAs } from '@queue/dev-postgres'
import { sqlStateOf } from '@queue/postgres'
import { processes } from '../../src/access/process-roles.ts'
import { type ConnectedDatabase, type QueueDatabase, connect } from '../../src/database/connect.ts'
import { createIdMint } from '../../src/database/id-mint.ts'
import { createNotifier } from '../../src/database/notifications.ts'
import { tables } from '../../src/database/tables.ts'
import { tenantNames } from '../../src/database/tenant-names.ts'
import { encodeLogCursor } from '../../src/domain/log-line.ts'
import { createQueue } from '../../src/facade/queue.ts'
import { listOwnQueues } from '../../src/flow/own-queues.ts'
import { readClaimFacts } from '../../src/insight/claim-facts.ts'
import { listLogs } from '../../src/insight/list-logs.ts'
import { listDeadLetters } from '../../src/reads/dead-letters.ts'
import { getJob } from '../../src/reads/get-job.ts'
import { jobStates } from '../../src/reads/job-states.ts'
import { listExecutions } from '../../src/reads/list-executions.ts'
import { listJobs } from '../../src/reads/list-jobs.ts'
import { scopeQueue, scopedQueueOn } from '../../src/tenants/scoped-queue.ts'
import { createTenantQueues, tenantDatabase } from '../../src/tenants/tenant-queues.ts'
import { cancelJob } from '../../src/transitions/cancel-job.ts'
import { enqueueJobs } from '../../src/transitions/enqueue-jobs.ts'
import { requeueDeadLetters } from '../../src/transitions/requeue-dead-letters.ts'
import { requeueJob } from '../../src/transitions/requeue-job.ts'
import { retryOrDeadLetterJobs } from '../../src/transitions/retry-or-dead-letter-jobs.ts'
import { asActDatabase, enqueueProbe, probe, runningJob } from '../support/builders.ts'
import { pagesTouched, plansOf } from '../support/plans.ts'
import { applyRoles } from '../support/roles.ts'
import { openWorld } from '../support/world.ts'
import { internalsOf } from '../../src/enqueue/queue-internals.ts'

const world = await openWorld()
const testRoles = await createTestRoles(processes)
const roles = testRoles.names()
let tenantConnection: ConnectedDatabase

/** The server's URL with the option that sets the session's role. */
function urlAs(role: string): string {
  const url = new URL(world.directUrl)
  url.searchParams.set('options', `-c role=${role}`)
  return url.href
}

beforeAll(async () => {
  await applyRoles({ connectionString: world.directUrl, roles }, 'set_up')
  tenantConnection = connect({
    connectionString: urlAs(roles.api_tenant),
    poolMax: 4,
    preparedStatements: true,
  })
})

afterAll(async () => {
  await tenantConnection.close()
  await world.close()
  await testRoles.close()
})

const deps = () => ({
  notifier: createNotifier(tenantConnection),
  mintIds: createIdMint(),
  full: internalsOf(world.queue).full,
})
const checkRole = async (): Promise<void> => undefined

/** A tenant's queue that only the views restrict: its statements have no condition on the tenant. */
function viewsOnly(tenantId: string) {
  return scopedQueueOn(tenantDatabase(tenantConnection, { tenantId }, { checkRole }), deps(), {})
}

describe('the second wall alone', () => {
  test('takes jobs of its tenant, and of nobody else', async () => {
    const queue = viewsOnly('acme')
    const ownJobs = await queue.enqueueMany([probe.create({}, { tenantId: 'acme', idempotencyKey: 'k' })])
    expect(ownJobs).toMatchObject([{ replayed: false, job: { tenantId: 'acme' } }])
    for (const options of [{ tenantId: 'evil' }, {}, { tenantId: 'evil', idempotencyKey: 'k' }]) {
      await expect(queue.enqueueMany([probe.create({}, options)])).rejects.toMatchObject({
        code: 'invalid_job',
        cause: { code: '44000' },
      })
    }
    const [{ count } = { count: -1 }] = await world.sql<{ count: number }>(
      'SELECT count(*)::int FROM queue.all_jobs',
    )
    expect(count).toBe(1)
  })

  test('finds and takes metadata of its tenant alone', async () => {
    const [ownJob] = await viewsOnly('acme').enqueueMany([
      probe.create({}, { tenantId: 'acme', metadata: { order_id: 1 } }),
    ])
    await viewsOnly('other').enqueueMany([probe.create({}, { tenantId: 'other', metadata: { order_id: 1 } })])
    const page = await viewsOnly('acme').list({ metadata: { order_id: 1 } })
    expect(page.jobs.map(({ id }) => id)).toEqual([ownJob?.job.id])
    const client = await sessionAs(world.directUrl, roles.api_tenant)
    await client.query(`SET queue.tenant = 'acme'`)
    const insertForOther = `INSERT INTO queue.tenant_job_metadata VALUES (gen_random_uuid(), 'other', 'order_id', '1')`
    await expect(client.query(insertForOther)).rejects.toMatchObject({ code: '44000' })
    await client.end()
  })

  test('replaces only jobs of its tenant under a unique key', async () => {
    const write = (tenantId: string, n: number) =>
      viewsOnly(tenantId).enqueueMany([
        probe.create(
          { n },
          { tenantId, metadata: { n }, unique: { key: 'u', scope: 'waiting', onConflict: 'replace' } },
        ),
      ])
    const [[ownJob], [otherJob]] = [await write('acme', 1), await write('other', 1)]
    expect(await write('acme', 2)).toMatchObject([{ conflict: 'replaced', job: { id: ownJob?.job.id } }])
    expect((await viewsOnly('acme').list({ metadata: { n: 2 } })).jobs).toHaveLength(1)
    expect(await viewsOnly('other').get(otherJob?.job.id ?? '')).toMatchObject({ payload: { n: 1 } })
    const client = await sessionAs(world.directUrl, roles.api_tenant)
    const change = async (id: string | undefined) => {
      const { rows } = await client.query(
        `SELECT tenant_id FROM queue.tenant_change_waiting($1::uuid, true, now(), NULL, 'default', NULL, '{}', NULL,
           1::smallint, 9, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL)`,
        [id],
      )
      return rows
    }
    for (const setting of ['RESET queue.tenant', `SET queue.tenant = ''`]) {
      await client.query(setting)
      expect([await change(ownJob?.job.id), await change(otherJob?.job.id)]).toEqual([[], []])
    }
    await client.query(`SET queue.tenant = 'acme'`)
    expect([await change(ownJob?.job.id), await change(otherJob?.job.id)]).toEqual([
      [{ tenant_id: 'acme' }],
      [],
    ])
    await client.end()
  })

  test('keeps keys apart: the same key of two tenants makes two jobs, and each replays its own', async () => {
    const write = async (tenantId: string) => {
      const [enqueued] = await viewsOnly(tenantId).enqueueMany([
        probe.create({ tenantId }, { tenantId, idempotencyKey: 'shared' }),
      ])
      return enqueued
    }
    const [acme, evil] = [await write('acme'), await write('evil')]
    expect([acme, evil]).toMatchObject([{ replayed: false }, { replayed: false }])
    expect(await write('acme')).toMatchObject({ replayed: true, job: { id: acme?.job.id } })
    expect(await write('evil')).toMatchObject({ replayed: true, job: { id: evil?.job.id } })
  })

  test('keeps the tenants of one connection apart, whatever came before', async () => {
    const database = connect({
      connectionString: urlAs(roles.api_tenant),
      poolMax: 1,
      preparedStatements: true,
    })
    const of = (tenantId: string) =>
      scopedQueueOn(tenantDatabase(database, { tenantId }, { checkRole }), deps(), {})
    const ids = new Map<string, string>()
    for (const tenantId of ['one', 'two', `it's "odd" \\ \u{1F980}`]) {
      const [enqueued] = await of(tenantId).enqueueMany([probe.create({}, { tenantId })])
      ids.set(tenantId, enqueued?.job.id ?? '')
    }
    await expect(of('one').enqueueMany([probe.create({}, { tenantId: 'two' })])).rejects.toThrow()
    const idsByTenant = await Promise.all(
      [...ids.keys()].map(async (tenantId) => (await of(tenantId).list()).jobs.map(({ id }) => id)),
    )
    expect(idsByTenant).toEqual([...ids.values()].map((id) => [id]))
    const { rows } = await database.pool.query(`SELECT count(*)::int AS seen FROM queue.tenant_jobs`)
    expect(rows).toEqual([{ seen: 0 }])
    await database.close()
  })

  test('cancels and requeues jobs of its tenant, and does not find the rest', async () => {
    const [enqueued] = await world.queue.enqueueMany([probe.create({}, { tenantId: 'acme' })])
    const id = enqueued?.job.id ?? ''
    for (const act of ['cancel', 'requeue'] as const) {
      await expect(viewsOnly('evil')[act](id)).rejects.toMatchObject({ code: 'job_not_found' })
    }
    expect(await viewsOnly('acme').cancel(id)).toMatchObject({ outcome: 'cancelled' })
    expect(await viewsOnly('acme').requeue(id)).toMatchObject({ status: 'queued' })
  })

  describe.each([
    ['names no tenant', ''],
    [
      'names an empty one, as a connection does after its first transaction with a tenant',
      `SET queue.tenant = ''`,
    ],
    ['names another one', `SET queue.tenant = 'stranger'`],
  ])('in a session that %s', (_name, setting) => {
    test('shows no row and changes none, in each view that the role may use', async () => {
      await fillTables()
      const views = await rightsOnViews()
      expect(views.filter(({ reads }) => reads).length).toBeGreaterThanOrEqual(15)
      const session = await sessionAs(world.directUrl, roles.api_tenant)
      await session.query(setting)
      const touched: Record<string, number | null> = {}
      for (const { view, reads, updated, deletes } of views) {
        if (reads) touched[`SELECT ${view}`] = (await session.query(`SELECT FROM queue.${view}`)).rowCount
        if (updated !== null)
          touched[`UPDATE ${view}`] = (
            await session.query(`UPDATE queue.${view} SET ${updated} = ${updated}`)
          ).rowCount
        if (deletes) touched[`DELETE ${view}`] = (await session.query(`DELETE FROM queue.${view}`)).rowCount
      }
      expect(Object.entries(touched).filter(([, rows]) => rows !== 0)).toEqual([])
      await session.end()
    })

    test('changes nothing by any function that the role may call', async () => {
      await world.reset()
      const unique = { key: 'u', scope: 'waiting', onConflict: 'replace' } as const
      const waiting = [
        await enqueueProbe(world, { unique }),
        await enqueueProbe(world, { unique, tenantId: 'acme' }),
      ]
      const session = await sessionAs(world.directUrl, roles.api_tenant)
      const functions = await world.sql<{ name: string }>(
        `SELECT proname AS name FROM pg_proc
          WHERE pronamespace = 'queue'::regnamespace AND has_function_privilege($1, oid, 'EXECUTE') ORDER BY 1`,
        [roles.api_tenant],
      )
      // A new function is called here too.
      expect(functions.map(({ name }) => name)).toEqual(Object.keys(calls).toSorted())
      await session.query(setting)
      const isChangedBy = async (call: string): Promise<boolean> => {
        const before = await everyJob()
        for (const { id } of waiting) await session.query(call, [id])
        return !isDeepStrictEqual(await everyJob(), before)
      }
      const changing: string[] = []
      for (const [name, call] of Object.entries(calls)) if (await isChangedBy(call)) changing.push(name)
      expect(changing).toEqual([])
      // The calls work: the tenant itself changes jobs by each.
      await session.query(`SET queue.tenant = 'acme'`)
      for (const call of Object.values(calls)) expect([call, await isChangedBy(call)]).toEqual([call, true])
      await session.end()
    })

    test('accepts no row, in each view in which the role may insert', async () => {
      await fillTables()
      const views = (await rightsOnViews()).filter(({ inserts }) => inserts.length > 0)
      expect(views.map(({ view }) => view)).toEqual(
        expect.arrayContaining(['tenant_jobs', 'tenant_operations']),
      )
      const rows = await Promise.all(
        views.map(({ view }) =>
          world.sql<{ row: object }>(`SELECT to_jsonb(t) AS row FROM ${tableOf(view)} AS t`),
        ),
      )
      // Without the rows themselves, no unique index refuses their copies.
      await world.reset()
      const session = await sessionAs(world.directUrl, roles.api_tenant)
      await session.query(setting)
      const answers: string[] = []
      for (const [index, { view, inserts }] of views.entries()) {
        expect(rows[index]).not.toEqual([])
        for (const { row } of rows[index] ?? []) {
          const columns = inserts.join(', ')
          const insert = session.query(
            `INSERT INTO queue.${view} (${columns}) SELECT ${columns} FROM jsonb_populate_record(NULL::queue.${view}, $1)`,
            [row],
          )
          answers.push(
            `${view}: ${await insert.then(
              () => 'accepted',
              (error: unknown) => sqlStateOf(error),
            )}`,
          )
        }
      }
      // 44000: the row would not be in the view.
      expect(answers.filter((answer) => !answer.endsWith(': 44000'))).toEqual([])
      await session.end()
    })
  })
})

/** A call of each function that tenants may call, with the id of a waiting job. */
const calls = {
  edit_tenant_job: `SELECT FROM queue.edit_tenant_job($1, '{"priority": 1}')`,
  tenant_change_waiting: `SELECT FROM queue.tenant_change_waiting($1::uuid, true, now(), NULL, 'other', NULL, '{"n": 2}', NULL,
           1::smallint, 9, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL)`,
  tenant_enqueue_jobs: `SELECT FROM queue.tenant_enqueue_jobs(jsonb_build_array(jsonb_build_object('place', 1, 'id', gen_random_uuid(),
           'kind', 'probe', 'queue', 'default', 'payload', '{}'::jsonb, 'priority', 4, 'max_attempts', 5, 'tenant_id', 'acme',
           'idempotency_key', $1::text)), '{}')`,
}

const everyJob = () => world.sql('SELECT to_jsonb(j) AS job FROM queue.all_jobs AS j ORDER BY j.id')

/** The table behind a view that takes rows. */
const tableOf = (view: string): string => `queue.${view.replace('tenant_', '')}`

/** Each view of tenants, with what the role of tenants may do there. */
async function rightsOnViews() {
  return world.sql<{
    view: string
    reads: boolean
    updated: string | null
    deletes: boolean
    inserts: string[]
  }>(
    `SELECT c.relname AS view, has_any_column_privilege($1, c.oid, 'SELECT') AS reads,
            min(a.attname) FILTER (WHERE has_column_privilege($1, c.oid, a.attname, 'UPDATE')) AS updated,
            has_table_privilege($1, c.oid, 'DELETE') AS deletes,
            array_remove(array_agg(CASE WHEN has_column_privilege($1, c.oid, a.attname, 'INSERT') THEN a.attname::text END), NULL) AS inserts
       FROM pg_class AS c JOIN pg_attribute AS a ON a.attrelid = c.oid AND a.attnum > 0
      WHERE c.relnamespace = 'queue'::regnamespace AND c.relkind = 'v'
      GROUP BY c.oid, c.relname ORDER BY c.relname`,
    [roles.api_tenant],
  )
}

/** Puts rows of nobody, and the same rows of the tenant `acme`, into every table of which tenants have a view. */
async function fillTables(): Promise<void> {
  await world.reset()
  const unique = { key: 'u', scope: 'live' } as const
  for (const tenantId of [undefined, 'acme']) {
    const owner = tenantId === undefined ? {} : { tenantId }
    await enqueueProbe(world, { ...owner, key: 'k', metadata: { customer: 'ada' }, unique })
    const { lease } = await runningJob(world, owner)
    const { lease: requeued } = await runningJob(world, owner)
    const failures = [lease, requeued].map((of) => ({ lease: of, error: 'e', waitMs: 0, permanent: true }))
    await retryOrDeadLetterJobs(world.database, failures)
    await world.queue.requeue(requeued.jobId)
    const of = [tenantId ?? '']
    await world.sql(
      `INSERT INTO queue.operations (tenant_id, id, act, filter, scope, rate, up_to, expected, expected_is_least)
       VALUES ($1, gen_random_uuid(), 'cancel', '{}', jsonb_build_object('tenant_id', nullif($1, '')), 1, gen_random_uuid(), 1, false)`,
      of,
    )
    await world.sql(
      `INSERT INTO queue.audit_log (tenant_id, act, actor_type, actor, count) VALUES ($1, 'job.cancel', 'role', 'r', 0)`,
      of,
    )
    await world.sql(
      `INSERT INTO queue.lane_events (due_at, queue, kind, key, tenant_id, priority) VALUES (now(), 'q', 'k', 'c', $1, 1)`,
      of,
    )
    await world.sql(
      `INSERT INTO queue.job_stats (at, period, queue, kind, tenant_id) VALUES (now(), 'minute', 'q', 'k', $1)`,
      of,
    )
    await world.sql(
      `INSERT INTO queue.job_logs (job_id, lease_token, at, line, attempt, level, message) VALUES ($1, 1, now(), 1, 1, 'info', 'm')`,
      [lease.jobId],
    )
  }
}

describe('waitFor of a queue with bounds', () => {
  const tenants = createTenantQueues({
    queue: world.queue,
    connectionString: urlAs(roles.api_tenant),
  })
  afterAll(() => tenants.close())

  const queues = [
    ['by the condition of its statements', (tenantId: string) => scopeQueue(world.queue, { tenantId })],
    ['by the views of its role', viewsOnly],
    ['by both', (tenantId: string) => tenants.of({ tenantId })],
  ] as const

  describe.each(queues)('%s', (_by, queueOf) => {
    test('returns the jobs of its tenant when they have ended', async () => {
      const { id } = await enqueueProbe(world, { tenantId: 'acme' })
      const [first, second] = [queueOf('acme').waitFor(id), queueOf('acme').waitFor(id)]
      await world.queue.cancel(id)
      const ended = { id, tenantId: 'acme', status: 'cancelled' }
      expect(await Promise.all([first, second])).toMatchObject([ended, ended])
    })

    test('finds no job of another tenant or of none, just as if it did not exist', async () => {
      const missing = '01900000-0000-7000-8000-000000000000'
      const queue = queueOf('other')
      for (const job of [await enqueueProbe(world, { tenantId: 'acme' }), await enqueueProbe(world)]) {
        const errorOf = async (waited: Parameters<typeof queue.waitFor>[0], id: string) => {
          const error = await queue.waitFor(waited).catch((e: unknown) => e)
          return String(error).replace(id, missing)
        }
        expect(await errorOf(job.id, job.id)).toBe(await errorOf(missing, missing))
        await world.queue.cancel(job.id)
        // The caller has the whole job, and knows that it has ended.
        const ended = await world.queue.waitFor(job.id)
        expect(await errorOf(ended, ended.id)).toBe(`QueueError: there is no job ${missing}`)
      }
    })
  })

  test('ends when the pool of tenants is closed', async () => {
    const closed = createTenantQueues({
      queue: world.queue,
      connectionString: urlAs(roles.api_tenant),
    })
    const { id } = await enqueueProbe(world, { tenantId: 'acme' })
    const queue = closed.of({ tenantId: 'acme' })
    const waiting = queue.waitFor(id).catch((e: unknown) => e)
    await closed.close()
    expect(await waiting).toMatchObject({ code: 'database_unavailable' })
    await expect(queue.waitFor(id)).rejects.toMatchObject({ code: 'database_unavailable' })
  })

  test('ends when the queue is closed, also on a pool that stays open', async () => {
    const queue = createQueue({ pool: world.database.pool, schema: world.database.schema })
    const { id } = await enqueueProbe(world, { tenantId: 'acme' })
    const waiting = scopeQueue(queue, { tenantId: 'acme' })
      .waitFor(id)
      .catch((e: unknown) => e)
    await queue.close()
    expect(await waiting).toMatchObject({
      code: 'database_unavailable',
      message: 'the queue was closed before the job had ended',
    })
  })

  test('sees only its queues and kinds', async () => {
    const { id } = await enqueueProbe(world, { queue: 'mine' })
    await world.queue.cancel(id)
    expect(await scopeQueue(world.queue, { queues: ['mine'] }).waitFor(id)).toMatchObject({ id })
    const elsewhere = scopeQueue(world.queue, { queues: ['other'] })
    await expect(elsewhere.waitFor(id)).rejects.toMatchObject({ code: 'job_not_found' })
  })
})

describe('a role that is no wall', () => {
  test.each(['api', 'worker', 'readonly', 'owner'] as const)('is refused: %s', async (role) => {
    const connectionString = role === 'owner' ? world.directUrl : urlAs(roles[role])
    const tenants = createTenantQueues({ queue: world.queue, connectionString })
    await expect(tenants.of({ tenantId: 'acme' }).list()).rejects.toMatchObject({
      code: 'invalid_options',
      message: expect.stringContaining('can read or write the tables'),
    })
    await tenants.close()
  })

  test('is not the role that is set up for tenants', async () => {
    const tenants = createTenantQueues({
      queue: world.queue,
      connectionString: urlAs(roles.api_tenant),
    })
    await expect(tenants.of({ tenantId: 'nobody' }).list()).resolves.toMatchObject({ jobs: [] })
    await tenants.close()
  })
})

describe('bounds of queues and kinds', () => {
  const scoped = () => scopeQueue(world.queue, { queues: ['mine'], kinds: ['probe'] })

  test('let no other job be enqueued, alone or in a group', async () => {
    const queue = scoped()
    const grouped = queue.grouped()
    const outcomes = await Promise.allSettled([
      queue.enqueueMany([probe.create({}, { queue: 'mine' })]),
      grouped.enqueue(probe, {}, { queue: 'mine' }),
      queue.enqueueMany([probe.create({}, { queue: 'other' })]),
      grouped.enqueue(probe, {}, { queue: 'other' }),
    ])
    expect(outcomes).toMatchObject([
      { status: 'fulfilled' },
      { status: 'fulfilled' },
      { status: 'rejected', reason: { code: 'out_of_scope' } },
      { status: 'rejected', reason: { code: 'out_of_scope' } },
    ])
  })

  test('let nothing else be seen, by a known key neither', async () => {
    const [enqueued] = await world.queue.enqueueMany([
      probe.create({ secret: 1 }, { queue: 'other', idempotencyKey: 'taken' }),
    ])
    const id = enqueued?.job.id ?? ''
    const queue = scoped()
    expect(await queue.get(id)).toBeUndefined()
    expect(await queue.states([id])).toEqual([])
    expect(await queue.executions(id)).toBeUndefined()
    expect((await queue.list()).jobs.every((job) => job.queue === 'mine')).toBe(true)
    expect((await queue.listQueues()).queues.map(({ name }) => name)).toEqual(['mine'])
    await expect(queue.cancel(id)).rejects.toMatchObject({ code: 'job_not_found' })
    const knownRequest = probe.create({}, { queue: 'mine', idempotencyKey: 'taken' })
    for (const replay of [
      () => queue.enqueueMany([knownRequest]),
      () => queue.grouped().enqueue(probe, {}, { queue: 'mine', idempotencyKey: 'taken' }),
    ]) {
      const error: unknown = await replay().catch((thrown: unknown) => thrown)
      expect(error).toMatchObject({ code: 'idempotency_mismatch' })
      expect(String(error)).not.toContain(id)
    }
  })

  test.each(['replay', 'reject'] as const)(
    'let a batch with the known key of another write nothing, and tell nothing of it: %s',
    async (onMismatch) => {
      const key = `of another, ${onMismatch}`
      const [otherJob] = await world.queue.enqueueMany([
        probe.create({}, { queue: 'other', idempotencyKey: key }),
      ])
      const before = await world.sql('SELECT id FROM queue.all_jobs ORDER BY id')
      const batch = [
        probe.create({}, { queue: 'mine' }),
        probe.create({}, { queue: 'mine', idempotencyKey: key }),
      ]
      const enqueueing = scoped().enqueueMany(batch, { onMismatch })
      const error: unknown = await enqueueing.catch((thrown: unknown) => thrown)
      expect(error).toMatchObject({ code: 'idempotency_mismatch' })
      expect(String(error)).not.toContain(otherJob?.job.id)
      expect(await world.sql('SELECT id FROM queue.all_jobs ORDER BY id')).toEqual(before)
    },
  )
})

test('each view has all columns of its table', async () => {
  const views = {
    tenant_jobs: 'jobs',
    tenant_job_list: 'jobs',
    tenant_job_executions: 'job_executions',
    tenant_job_logs: 'job_logs',
    tenant_job_errors: 'job_errors',
    tenant_job_error_days: 'job_error_days',
    tenant_job_stats: 'job_stats',
    tenant_dead_letter_jobs: 'dead_letter_jobs',
    tenant_dead_letter_list: 'dead_letter_jobs',
    tenant_audit_log: 'audit_log',
    tenant_job_metadata: 'job_metadata',
  } as const
  for (const [view, table] of Object.entries(views)) {
    const rows = await world.sql<{ name: string }>(
      `SELECT attname::text AS name FROM pg_attribute WHERE attrelid = $1::regclass AND attnum > 0`,
      [`queue.${view}`],
    )
    expect(rows.map(({ name }) => name).toSorted()).toEqual(Object.keys(tables[table].columns).toSorted())
  }
})

describe('behind the views of a tenant that has half of all jobs, the older half', () => {
  const total = 20_000
  const id = '01900000-0000-7000-8000-000000000002'
  const throughViews = (database: QueueDatabase): QueueDatabase => ({
    ...database,
    names: tenantNames(database.names, 'queue'),
    scope: { tenantId: 'acme' },
  })
  const acts: readonly (readonly [
    string,
    (db: QueueDatabase) => Promise<unknown>,
    string,
    pagesMax?: number,
  ])[] = [
    ['a read of a job', (db) => getJob(db, id), 'jobs_'],
    ['why a job does not start', (db) => readClaimFacts(db, [id]), 'jobs_'],
    ['a read of states', (db) => jobStates(db, [id]), 'jobs_'],
    ['a history', (db) => listExecutions(db, id), 'job_executions_pkey'],
    [
      'a log',
      (db) => listLogs(db, id, { cursor: encodeLogCursor({ leaseToken: 1, line: 1 }) }),
      'job_logs_pkey',
    ],
    ['a list', (db) => listJobs(db), 'jobs_tenant_idx'],
    // Ids only narrow the creation, which is tested on up to 1 000 rows. PostgreSQL 15 reads all of them.
    ['a list of a time', (db) => listJobs(db, { createdBefore: new Date(4e12) }), 'jobs_tenant_idx', 4_000],
    // A page of 50 jobs, each by its id: up to three pages each on PostgreSQL 15.
    ['a list of metadata', (db) => listJobs(db, { metadata: { order_id: 7 } }), 'job_metadata_pkey', 200],
    ['a list of dead letters', (db) => listDeadLetters(db), 'dead_letter_jobs_tenant_idx'],
    ['a list of queues', (db) => listOwnQueues(db), 'jobs_tenant_live_idx'],
    ['a cancel', (db) => cancelJob(db, id), 'jobs_'],
    ['a requeue', (db) => requeueJob(asActDatabase(db), id), 'jobs_'],
    [
      'a look-up of a key',
      (db) => enqueueJobs(db, [{ ...probe.create({}, { tenantId: 'acme', idempotencyKey: 'k9' }), id }]),
      'jobs_idempotency_idx',
    ],
    [
      'a requeue of dead letters',
      (db) => requeueDeadLetters((work) => work(asActDatabase(db)), { deadLetteredBefore: new Date(1) }),
      'jobs_',
    ],
  ]

  beforeAll(async () => {
    await world.sql(
      'TRUNCATE queue.jobs, queue.ended_jobs, queue.job_executions, queue.dead_letter_jobs, queue.job_metadata',
    )
    await world.sql(
      `INSERT INTO queue.jobs (id, kind, payload, metadata, tenant_id, status, finished_at, attempts, idempotency_key,
                               idempotency_fingerprint)
       SELECT ('01900000-0000-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid, 'probe', '{}',
              json_build_object('order_id', n % 10),
              CASE WHEN n <= $1 / 2 THEN 'acme' END,
              CASE WHEN n % 400 = 0 THEN 'queued' WHEN n % 4 = 1 THEN 'failed_permanent' ELSE 'succeeded' END::queue.job_status,
              CASE WHEN n % 400 > 0 THEN now() END, 1, 'k' || n, '\\x00'
         FROM generate_series(1, $1::int) AS n`,
      [total],
    )
    await world.sql(
      `INSERT INTO queue.job_executions (job_id, lease_token, started_at, finished_at, attempt, worker_id, outcome)
       SELECT id, 1, now(), now(), 1, 'w', 'succeeded' FROM queue.all_jobs`,
    )
    await world.sql(
      `INSERT INTO queue.job_logs (job_id, lease_token, line, attempt, at, level, message)
       SELECT id, 1, line, 1, now(), 'info', 'm' FROM queue.all_jobs, generate_series(1, 3) AS line`,
    )
    await world.sql('VACUUM ANALYZE queue.job_logs')
    await world.sql(
      `INSERT INTO queue.dead_letter_jobs (job_id, lease_token, created_at, dead_lettered_at, attempts, max_attempts,
                                           priority, crashes, queue, kind, tenant_id, payload, execution_history)
       SELECT id, 1, now(), now(), 1, 1, 4, 0, 'default', 'probe', tenant_id, '{}', '[]' FROM queue.all_jobs
        WHERE status = 'failed_permanent'`,
    )
    await world.sql(
      `INSERT INTO queue.job_metadata (job_id, tenant_id, name, value)
       SELECT id, coalesce(tenant_id, ''), 'order_id', metadata ->> 'order_id' FROM queue.all_jobs`,
    )
    await world.sql(
      'VACUUM ANALYZE queue.jobs, queue.job_executions, queue.dead_letter_jobs, queue.job_metadata',
    )
  })

  test.each(acts)('%s uses its index, and reads few pages', async (...[, act, index, pagesMax = 120]) => {
    const client = await world.session()
    // The settings of the API's sessions.
    await client.query(`SET queue.tenant = 'acme'; SET enable_seqscan = off; SET jit = off`)
    const plans = await plansOf(client, throughViews(world.database), act)
    expect(plans).toContain(index)
    expect(plans).not.toMatch(/Seq Scan on (jobs|job_executions|dead_letter_jobs|job_metadata)\b/)
    expect(await pagesTouched(client, throughViews(world.database), act)).toBeLessThan(pagesMax)
  })
})
