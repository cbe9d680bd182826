import { readFile } from 'node:fs/promises'
import { afterAll, describe, expect, test } from '@jest/globals'
import { createTestRoles, onConnection, queryRows, sessionAs } from '@queue/dev-postgres'
import { ownObjectsOf } from '@queue/postgres'
import type pg from 'pg'
import { queueAccess } from '../../src/access/privilege-matrix.ts'
import { type Process, type RoleNames, processes } from '../../src/access/process-roles.ts'
import type { ManyResult } from '../../src/acts/acts-on-many.ts'
import { carryOutOperation } from '../../src/acts/carry-out-operation.ts'
import { migrateDown, migrateUp, migrationPlan } from '../../src/facade/manage-schema.ts'
import { createQueue } from '../../src/facade/queue.ts'
import { codeVersion } from '../../src/migrations/index.ts'
import { retryOrDeadLetterJobs } from '../../src/transitions/retry-or-dead-letter-jobs.ts'
import { claim, newWorker, probe } from '../support/builders.ts'
import { applyRoles, rolesPlan } from '../support/roles.ts'
import { testDatabases, within } from '../support/world.ts'
import { databaseOf } from '../../src/enqueue/queue-internals.ts'

const databases = await testDatabases()
const testRoles = await createTestRoles(processes)
afterAll(async () => {
  await databases.close()
  await testRoles.close()
})

const ownObjects = ownObjectsOf(queueAccess)

/** A migrated database with its own roles, set up. */
async function setUpRoles(): Promise<{ connectionString: string; roles: RoleNames }> {
  const options = { connectionString: await databases.migrated(), roles: testRoles.names() }
  await applyRoles(options, 'set_up')
  return options
}

async function statementsLeft(options: Parameters<typeof rolesPlan>[0]): Promise<readonly string[]> {
  return (await rolesPlan(options, 'set_up')).statements
}

/** A call of the function that replaces a job which waits under its unique key; by default of an unknown job. */
function changeWaitingCall(name: string, id = '00000000-0000-7000-8000-000000000000'): string {
  return `SELECT id, payload, metadata FROM queue.${name}('${id}', true, now(), NULL, 'other', NULL, '{"mine": 1}',
            '{"mine": 1}', 1::smallint, 9, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL)`
}

const tablePrivileges = ['SELECT', 'INSERT', 'UPDATE', 'DELETE', 'TRUNCATE', 'REFERENCES', 'TRIGGER']
/** Only these can be granted on columns. */
const columnPrivileges = new Set(['SELECT', 'INSERT', 'UPDATE', 'REFERENCES'])

/** The effective privileges of a role on a table: its own, inherited ones and those of PUBLIC. */
async function privilegesOn(client: pg.Client, role: string, table: string): Promise<string> {
  const { rows: columns } = await client.query<{ name: string }>(
    `SELECT attname::text AS name FROM pg_attribute
      WHERE attrelid = $1::regclass AND attnum > 0 AND NOT attisdropped ORDER BY attname`,
    [`queue.${table}`],
  )
  const granted: string[] = []
  for (const privilege of tablePrivileges) {
    const { rows } = await client.query<{ whole: boolean; columns: string[] }>(
      `SELECT has_table_privilege($1, $2, $3) AS whole,
              ARRAY(SELECT c FROM unnest($4::text[]) AS c
                     WHERE has_column_privilege($1, $2, c, CASE WHEN $5 THEN $3 ELSE 'SELECT' END) AND $5) AS columns`,
      [role, `queue.${table}`, privilege, columns.map(({ name }) => name), columnPrivileges.has(privilege)],
    )
    const [{ whole, columns: grantedColumns } = { whole: false, columns: [] }] = rows
    if (whole) granted.push(privilege)
    else if (grantedColumns.length > 0) granted.push(`${privilege} (${grantedColumns.join(', ')})`)
  }
  return granted.join(', ')
}

/** The table in docs/roles.md: the documented privileges of each role on each table. */
async function readDocumentedMatrix(): Promise<Record<string, Record<Process, string>>> {
  const page = await readFile(new URL('../../../../docs/roles.md', import.meta.url), 'utf8')
  const rows = page.matchAll(/^\| `(?!outbox_)(\w+)` \|((?: .* \|){6})$/gm)
  return Object.fromEntries(
    [...rows].map(([, table = '', cells = '']) => {
      const privileges = cells.split('|').map((cell) => cell.trim().replaceAll('`', ''))
      return [
        table,
        Object.fromEntries(processes.map((process, index) => [process, privileges[index] ?? ''])),
      ]
    }),
  ) as Record<string, Record<Process, string>>
}

describe('the matrix', () => {
  test('is what docs/roles.md says: each role, each table, each privilege', async () => {
    const { connectionString, roles } = await setUpRoles()
    const matrix = await onConnection(connectionString, async (client) => {
      const privileges: Record<string, Record<string, string>> = {}
      for (const table of ownObjects.table) {
        const row: Record<string, string> = {}
        for (const process of processes) row[process] = await privilegesOn(client, roles[process], table)
        privileges[table] = row
      }
      return privileges
    })
    expect(matrix).toEqual(await readDocumentedMatrix())
  })

  test('knows every object of the schema', async () => {
    const { connectionString } = await setUpRoles()
    const objects = await queryRows<{ kind: string; name: string }>(
      connectionString,
      `SELECT CASE relkind WHEN 'S' THEN 'sequence' ELSE 'table' END AS kind, relname::text AS name FROM pg_class
        WHERE relnamespace = 'queue'::regnamespace AND relkind IN ('r', 'p', 'v', 'm', 'f', 'S') AND NOT relispartition
       UNION ALL
       SELECT 'routine', proname::text FROM pg_proc WHERE pronamespace = 'queue'::regnamespace
       UNION ALL
       SELECT 'type', typname::text FROM pg_type AS t
        WHERE typnamespace = 'queue'::regnamespace AND (typcategory <> 'A' OR typtype = 'd')
          AND NOT EXISTS (SELECT FROM pg_class AS c WHERE c.oid = t.typrelid AND c.relkind <> 'c')`,
    )
    const declared = Object.entries(ownObjects).flatMap(([kind, names]) =>
      names.map((name) => ({ kind, name })),
    )
    expect(new Set(objects.map((object) => JSON.stringify(object)))).toEqual(
      new Set(declared.map((object) => JSON.stringify(object))),
    )
  })

  test('leaves nothing to PUBLIC: neither the schema, nor a table, nor a type, nor a function', async () => {
    const { connectionString } = await setUpRoles()
    const outsider = await testRoles.create('NOLOGIN')
    const rows = await queryRows(
      connectionString,
      `SELECT format('%s %s', kind, name) AS open FROM (
         SELECT 'schema' AS kind, 'queue' AS name, has_schema_privilege('${outsider}', 'queue', 'USAGE, CREATE') AS may
         UNION ALL
         SELECT 'type', typname, has_type_privilege('${outsider}', oid, 'USAGE') FROM pg_type
          WHERE typnamespace = 'queue'::regnamespace AND typtype = 'e'
         UNION ALL
         SELECT 'function', proname, has_function_privilege('${outsider}', oid, 'EXECUTE') FROM pg_proc
          WHERE pronamespace = 'queue'::regnamespace
         UNION ALL
         SELECT 'table', relname, has_table_privilege('${outsider}', oid, '${tablePrivileges.join(', ')}')
                OR has_any_column_privilege('${outsider}', oid, 'SELECT, INSERT, UPDATE, REFERENCES') FROM pg_class
          WHERE relnamespace = 'queue'::regnamespace AND relkind = 'r'
       ) AS object WHERE may`,
    )
    expect(rows).toEqual([])
  })

  test('lets no role define an operator for a type of the queue, which its statements would call', async () => {
    const { connectionString, roles } = await setUpRoles()
    const outsider = await testRoles.create('NOLOGIN')
    const usable = await queryRows(
      connectionString,
      `SELECT r.name, t.typname FROM unnest(ARRAY['${[...Object.values(roles), outsider].join("', '")}']) AS r (name), pg_type AS t
        WHERE t.typnamespace = 'queue'::regnamespace AND t.typtype IN ('d', 'e') AND has_type_privilege(r.name, t.oid, 'USAGE')`,
    )
    expect(usable).toEqual([])
  })

  test.each(processes)('lets %s use the schema, and create nothing in it', async (process) => {
    const { connectionString, roles } = await setUpRoles()
    const session = await sessionAs(connectionString, roles[process])
    const readable = process === 'api_tenant' ? 'tenant_jobs' : 'jobs'
    const inside = process === 'enqueue' ? "SELECT queue.enqueue('k', '{}')" : `SELECT FROM queue.${readable}`
    await expect(session.query(inside)).resolves.toBeDefined()
    for (const statement of [
      'CREATE TABLE queue.mine (id int)',
      'CREATE VIEW queue.mine AS SELECT 1 AS one',
    ]) {
      await expect(session.query(statement)).rejects.toMatchObject({ code: '42501' })
    }
    await session.end()
  })
})

describe('is refused', () => {
  // The views of tenants are those of their role alone.
  /** Not the views: a change through them fails in any role. */
  const tables = ownObjects.table.filter((table) => !/^tenant_|^all_jobs$|^archived_jobs$/.test(table))
  const readByFunctions = new Set([
    'ended_jobs',
    'jobs',
    'job_metadata',
    'job_kinds',
    'job_unique_slots',
    'limits',
    'operations',
    'waiting_counts',
    'api_keys',
    'api_key_revocations',
    'audit_log',
  ])
  const refused: Record<Process, string[]> = {
    api: [
      'UPDATE queue.jobs SET lease_token = lease_token + 1',
      'UPDATE queue.jobs SET locked_by = NULL, locked_at = NULL',
      `UPDATE queue.jobs SET payload = '{}'`,
      'UPDATE queue.jobs SET max_attempts = 100',
      `UPDATE queue.jobs SET queue = 'other'`,
      `UPDATE queue.jobs SET kind = 'other'`,
      `UPDATE queue.jobs SET metadata = '{}'`,
      changeWaitingCall('tenant_change_waiting'),
      `SELECT queue.strip_jobs('{}')`,
      `SELECT queue.edit_tenant_job(gen_random_uuid(), '{}')`,
      `SELECT queue.note_batch(gen_random_uuid(), 1, '{}')`,
      `UPDATE queue.operations SET scope = NULL`,
      `INSERT INTO queue.jobs (id, kind, payload, status) VALUES (gen_random_uuid(), 'k', '{}', 'succeeded')`,
      'DELETE FROM queue.jobs',
      'DELETE FROM queue.job_executions',
      'DELETE FROM queue.job_metadata',
      `UPDATE queue.job_metadata SET value = 'mine'`,
      'UPDATE queue.job_errors SET count = 1',
      'UPDATE queue.job_error_days SET count = 1',
      'UPDATE queue.dead_letter_jobs SET attempts = 0',
      `UPDATE queue.workers SET lease_expires_at = now() + interval '1 day'`,
      'DELETE FROM queue.workers',
      `INSERT INTO queue.queues (name, created_at) VALUES ('mine', now())`,
      'DELETE FROM queue.queues',
      `INSERT INTO queue.api_keys (id, digest, name, role) VALUES ('abcd1234', sha256('x'), 'mine', 'admin')`,
      `UPDATE queue.api_keys SET digest = sha256('x')`,
      `UPDATE queue.api_keys SET role = 'admin'`,
      `UPDATE queue.api_keys SET expires_at = NULL`,
      'DELETE FROM queue.api_keys',
      'UPDATE queue.api_key_revocations SET revoked_at = now()',
      'DELETE FROM queue.api_key_revocations',
      `UPDATE queue.api_sessions SET expires_at = now() + interval '1 year'`,
      'DELETE FROM queue.audit_log',
      `UPDATE queue.audit_log SET actor = 'another'`,
      `INSERT INTO queue.audit_log (act, actor_type, actor, count, at) VALUES ('job.cancel', 'key', 'k', 0, now())`,
      `INSERT INTO queue.audit_log (act, actor_type, actor, count, database_role)
       VALUES ('job.cancel', 'role', 'owner', 0, 'owner')`,
    ],
    worker: [
      'SELECT FROM queue.api_sessions',
      'SELECT FROM queue.api_keys',
      `INSERT INTO queue.audit_log (act, actor_type, actor, count) VALUES ('job.cancel', 'key', 'k', 0)`,
      `UPDATE queue.audit_log SET actor = 'another'`,
      `UPDATE queue.audit_log SET job_ids = '{}'`,
      'SELECT FROM queue.api_key_revocations',
      `INSERT INTO queue.operations (id, act, filter, up_to, expected, expected_is_least)
       VALUES (gen_random_uuid(), 'erase', '{}', gen_random_uuid(), 0, false)`,
      `UPDATE queue.operations SET filter = '{}'`,
      `UPDATE queue.operations SET actor = 'another'`,
      `INSERT INTO queue.api_key_revocations (key_id) VALUES ('abcd1234')`,
      `UPDATE queue.jobs SET payload = '{}'`,
      `UPDATE queue.jobs SET kind = 'other'`,
      `UPDATE queue.jobs SET tenant_id = 'other'`,
      changeWaitingCall('tenant_change_waiting'),
      `SELECT queue.edit_job(gen_random_uuid(), '{"payload": {}}')`,
      `UPDATE queue.operations SET act = 'erase'`,
      `UPDATE queue.ended_jobs SET payload = '{}'`,
      'UPDATE queue.job_executions SET error = NULL',
      `UPDATE queue.job_logs SET message = 'another'`,
      'UPDATE queue.workers SET concurrency = 1',
      'UPDATE queue.queues SET paused_at = NULL',
      'DELETE FROM queue.queues',
    ],
    readonly: tables.flatMap((table) => [
      `INSERT INTO queue.${table} DEFAULT VALUES`,
      `DELETE FROM queue.${table}`,
      `SELECT FROM queue.${table} FOR UPDATE`,
    ]),
    enqueue: [
      ...tables.map((table) => `SELECT FROM queue.${table}`),
      `INSERT INTO queue.jobs (id, kind, payload) VALUES (gen_random_uuid(), 'k', '{}')`,
      `SELECT queue.canonical_json('{}')`,
      changeWaitingCall('change_waiting'),
      changeWaitingCall('tenant_change_waiting'),
      `SELECT queue.strip_jobs('{}')`,
      `CREATE OR REPLACE FUNCTION queue.cancel(id uuid) RETURNS text LANGUAGE sql AS $$ SELECT 'mine' $$`,
    ],
    functions: [
      ...tables.filter((table) => !readByFunctions.has(table)).map((table) => `SELECT FROM queue.${table}`),
      'SELECT digest FROM queue.api_keys',
      'SELECT name FROM queue.api_keys',
      'SELECT revoked_at FROM queue.api_key_revocations',
      'SELECT actor FROM queue.audit_log',
      `UPDATE queue.audit_log SET actor = 'another'`,
      'DELETE FROM queue.audit_log',
      `UPDATE queue.api_keys SET role = 'admin'`,
      `UPDATE queue.operations SET act = 'erase'`,
      `UPDATE queue.jobs SET kind = 'other'`,
      'UPDATE queue.jobs SET lease_token = lease_token + 1',
      'DELETE FROM queue.jobs',
    ],
    api_tenant: [
      ...tables.flatMap((table) => [`SELECT FROM queue.${table}`, `DELETE FROM queue.${table}`]),
      `INSERT INTO queue.jobs (id, kind, payload, tenant_id) VALUES (gen_random_uuid(), 'k', '{}', 't')`,
      `UPDATE queue.jobs SET updated_at = now()`,
      `UPDATE queue.tenant_jobs SET tenant_id = 'other'`,
      `UPDATE queue.tenant_jobs SET payload = '{}'`,
      `UPDATE queue.tenant_jobs SET kind = 'other'`,
      changeWaitingCall('change_waiting'),
      `SELECT queue.strip_jobs('{}')`,
      `SELECT queue.edit_job(gen_random_uuid(), '{"payload": {}}')`,
      'DELETE FROM queue.tenant_jobs',
      'UPDATE queue.tenant_dead_letter_jobs SET attempts = 0',
      'SELECT FROM queue.tenant_audit_log',
      'DELETE FROM queue.tenant_audit_log',
      'CREATE OR REPLACE VIEW queue.tenant_jobs AS SELECT 1 AS one',
    ],
  }
  const refusedToAll = [
    ...tables.map((table) => `TRUNCATE queue.${table}`),
    `INSERT INTO queue.migrations (version, name, min_code) VALUES (99, 'mine', 99)`,
    'UPDATE queue.migrations SET min_code = 99',
    'DELETE FROM queue.migrations',
    'DROP TABLE queue.queues',
  ]

  test.each(processes)('%s what its process does not need', async (process) => {
    const { connectionString, roles } = await setUpRoles()
    const session = await sessionAs(connectionString, roles[process])
    const allowed: string[] = []
    for (const statement of [...refused[process], ...refusedToAll]) {
      const code = await session.query(statement).then(
        () => 'done',
        (error: { code: string }) => error.code,
      )
      if (code !== '42501') allowed.push(`${statement}: ${code}`)
    }
    expect(allowed).toEqual([])
    await session.end()
  })

  test('worker audit entries, except those of a running operation in the name of its actor', async () => {
    const { connectionString, roles } = await setUpRoles()
    const queue = createQueue({ connectionString })
    const { job } = await queue.enqueue(probe, {})
    const acts = queue.actAs({ type: 'token', id: 'asker' })
    const erased = await acts.many.erase({}, { all: true })
    const session = await sessionAs(connectionString, roles.worker)
    const database = within(session)
    const note = `SELECT queue.note_batch(id, 1, ARRAY[id]), queue.erase_from_audit(id, ARRAY[id]) FROM queue.all_jobs`
    await session.query(note)
    expect((await queue.audit.list()).entries).toHaveLength(1)
    const carried = await carryOutOperation({
      ...database,
      transaction: (work: (inside: typeof database) => unknown) => work(database),
    } as never)
    expect(carried).toMatchObject({ state: 'succeeded', jobs: [{ id: job.id }] })
    const { entries } = await queue.audit.list()
    const entry = { act: 'job.erase', actor: 'asker', databaseRole: roles.worker, count: 1, jobIds: [] }
    expect(entries[0]).toMatchObject({
      ...entry,
      target: erased.outcome === 'operation' && erased.operation.id,
    })
    await session.query(`SELECT queue.note_batch(id, 1, '{}') FROM queue.operations`)
    expect((await queue.audit.list()).entries).toHaveLength(2)
    await session.end()
    await queue.close()
  })

  test('api_tenant an operation beyond its tenant, whatever bounds it says', async () => {
    const { connectionString, roles } = await setUpRoles()
    const session = await sessionAs(connectionString, roles.api_tenant)
    const ask = (tenant: string, scope: object | null) =>
      session.query(
        `INSERT INTO queue.tenant_operations (tenant_id, id, act, filter, scope, up_to, expected, expected_is_least)
         VALUES ($1, gen_random_uuid(), 'delete', '{}', $2, gen_random_uuid(), 0, false)`,
        [tenant, scope],
      )
    await session.query(`SET queue.tenant = 'acme'`)
    for (const scope of [null, {}, { tenant_id: 'evil' }]) {
      await expect(ask('acme', scope)).rejects.toMatchObject({ constraint: 'operations_scope_check' })
    }
    await expect(ask('evil', { tenant_id: 'evil' })).rejects.toMatchObject({ code: '44000' })
    await ask('acme', { tenant_id: 'acme' })
    await session.end()
  })

  test('api the end of a running job, and its transfer to another worker', async () => {
    const { connectionString, roles } = await setUpRoles()
    const queue = createQueue({ connectionString })
    await queue.enqueue(probe, {})
    expect(
      await claim({ database: databaseOf(queue) }, await newWorker({ database: databaseOf(queue) })),
    ).toHaveLength(1)
    const session = await sessionAs(connectionString, roles.api)
    for (const ending of [
      `'queued'`,
      `'succeeded', finished_at = now()`,
      `'cancelled', finished_at = now()`,
    ]) {
      await expect(session.query(`UPDATE queue.jobs SET status = ${ending}`)).rejects.toMatchObject({
        constraint: 'jobs_running_check',
      })
    }
    await session.end()
    await queue.close()
  })

  test.each(['api', 'worker'] as const)(
    '%s changes of a job that does not wait under a unique key, also by the function for such jobs',
    async (process) => {
      const { connectionString, roles } = await setUpRoles()
      const queue = createQueue({ connectionString })
      const session = await sessionAs(connectionString, roles[process])
      const change = async (id: string) => (await session.query(changeWaitingCall('change_waiting', id))).rows
      const { job } = await queue.enqueue(probe, {}, { unique: { key: 'u', scope: 'waiting' } })
      expect(await change(job.id)).toMatchObject([{ id: job.id, payload: { mine: 1 } }])
      const keyless = await queue.enqueue(probe, {})
      const live = await queue.enqueue(probe, {}, { unique: { key: 'l', scope: 'live' } })
      const ended = await queue.enqueue(probe, {}, { unique: { key: 'e', scope: 'waiting' } })
      await queue.cancel(ended.job.id)
      const otherIds = [keyless, live, ended].map((enqueued) => enqueued.job.id)
      for (const id of otherIds) expect(await change(id)).toEqual([])
      await queryRows(connectionString, `UPDATE queue.jobs SET queue = 'default'`)
      expect(
        await claim({ database: databaseOf(queue) }, await newWorker({ database: databaseOf(queue) })),
      ).toHaveLength(3)
      const before = await queryRows(connectionString, 'SELECT * FROM queue.all_jobs ORDER BY id')
      for (const id of [job.id, ...otherIds]) expect(await change(id)).toEqual([])
      expect(await queryRows(connectionString, 'SELECT * FROM queue.all_jobs ORDER BY id')).toEqual(before)
      await session.end()
      await queue.close()
    },
  )

  test('worker the stripping of a job, unless it has ended and leaves a receipt', async () => {
    const { connectionString, roles } = await setUpRoles()
    const queue = createQueue({ connectionString })
    const session = await sessionAs(connectionString, roles.worker)
    const options = { idempotencyKey: 'k', metadata: { order_id: 1 } }
    const { job: ended } = await queue.enqueue(probe, {}, options)
    await queue.cancel(ended.id)
    const { job: keyless } = await queue.enqueue(probe, {})
    await queue.cancel(keyless.id)
    await queue.enqueue(probe, {}, { idempotencyKey: 'waits' })
    const { rows } = await session.query(
      'SELECT queue.strip_jobs(ARRAY(SELECT id FROM queue.all_jobs)) AS stripped',
    )
    expect(rows).toEqual([{ stripped: ended.id }])
    const strippedRows = await queryRows(
      connectionString,
      `SELECT id FROM queue.all_jobs WHERE payload = 'null'`,
    )
    expect(strippedRows).toEqual([{ id: ended.id }])
    expect(await queryRows(connectionString, 'SELECT FROM queue.job_metadata')).toEqual([])
    await session.end()
    await queue.close()
  })
})

test('a worker may do in its role whatever an operation does', async () => {
  const { connectionString, roles } = await setUpRoles()
  const queue = createQueue({ connectionString })
  const { many } = queue.actAs({ type: 'token', id: 'asker' })
  const session = await sessionAs(connectionString, roles.worker)
  const database = within(session)
  const changedCount = async (started: Promise<ManyResult>): Promise<number | undefined> => {
    expect((await started).outcome).toBe('operation')
    const result = await carryOutOperation({
      ...database,
      transaction: (work: (inside: typeof database) => unknown) => work(database),
    } as never)
    expect(result?.state).toBe('succeeded')
    return result?.jobs.length
  }
  const asOperation = { all: true, rate: 100_000 }
  for (const key of ['a', 'b']) {
    await queue.enqueue(probe, {}, { unique: { key, scope: 'live' }, metadata: { key } })
  }
  const [claimed] = await claim(
    { database: databaseOf(queue) },
    await newWorker({ database: databaseOf(queue) }),
    { limit: 1 },
  )
  expect(await changedCount(many.cancel({}, asOperation))).toBe(2)
  expect(await changedCount(many.requeue({}, asOperation))).toBe(1)
  expect(await changedCount(many.reschedule({}, { ...asOperation, runAt: new Date() }))).toBe(1)
  await queryRows(connectionString, 'UPDATE queue.jobs SET cancel_requested = false')
  if (claimed === undefined) throw new Error('nothing was claimed')
  await retryOrDeadLetterJobs(databaseOf(queue), [
    { lease: claimed.lease, error: 'e', waitMs: 0, permanent: true },
  ])
  await queryRows(connectionString, `DELETE FROM queue.jobs WHERE status = 'failed_permanent'`)
  await queryRows(connectionString, 'DELETE FROM queue.job_metadata')
  expect(await changedCount(many.requeueDeadLetters({}, asOperation))).toBe(1)
  expect(await changedCount(many.purge('default'))).toBe(2)
  expect(await queryRows(connectionString, 'SELECT key FROM queue.job_unique_slots')).toEqual([])
  await session.end()
  await queue.close()
})

describe('setting up', () => {
  test('a second time changes nothing, and the plan lists exactly the statements that run', async () => {
    const options = { connectionString: await databases.migrated(), roles: testRoles.names() }
    const plan = await rolesPlan(options, 'set_up')
    expect(await rolesPlan(options, 'set_up')).toEqual(plan)
    expect(plan.statements.slice(0, processes.length)).toEqual(
      Object.values(options.roles).map((name) => `CREATE ROLE "${name}" NOLOGIN;`),
    )
    expect(await applyRoles(options, 'set_up')).toEqual(plan)
    expect(await applyRoles(options, 'set_up')).toEqual({ ...plan, statements: [] })
  })

  test('can be done by hand with the statements of the plan', async () => {
    const options = { connectionString: await databases.migrated(), roles: testRoles.names() }
    const { statements } = await rolesPlan(options, 'set_up')
    await queryRows(options.connectionString, statements.join('\n'))
    expect(await statementsLeft(options)).toEqual([])
  })

  test('by several runners at once has the same result', async () => {
    const options = { connectionString: await databases.migrated(), roles: testRoles.names() }
    await Promise.all(Array.from({ length: 4 }, () => applyRoles(options, 'set_up')))
    expect(await statementsLeft(options)).toEqual([])
  })

  test.each([
    [
      'a whole table where columns are meant',
      (roles: RoleNames) => `GRANT UPDATE ON queue.jobs TO "${roles.api}"`,
    ],
    ['a column', (roles: RoleNames) => `GRANT UPDATE (payload) ON queue.jobs TO "${roles.worker}"`],
    ['the migration history', (roles: RoleNames) => `GRANT ALL ON queue.migrations TO "${roles.worker}"`],
    ['the schema', (roles: RoleNames) => `GRANT CREATE ON SCHEMA queue TO "${roles.api}"`],
    [
      'the right to hand on',
      (roles: RoleNames) => `GRANT SELECT ON queue.jobs TO "${roles.readonly}" WITH GRANT OPTION`,
    ],
    ['a table to PUBLIC', () => 'GRANT SELECT ON queue.jobs TO PUBLIC'],
    ['the schema to PUBLIC', () => 'GRANT ALL ON SCHEMA queue TO PUBLIC'],
    ['the type to PUBLIC', () => 'GRANT USAGE ON TYPE queue.job_status TO PUBLIC'],
  ])('takes back %s', async (_what, grant) => {
    const options = await setUpRoles()
    await queryRows(options.connectionString, grant(options.roles))
    expect(await statementsLeft(options)).not.toEqual([])
    await applyRoles(options, 'set_up')
    expect(await statementsLeft(options)).toEqual([])
  })

  test('restores revoked grants', async () => {
    const options = await setUpRoles()
    await queryRows(
      options.connectionString,
      `REVOKE ALL ON ALL TABLES IN SCHEMA queue FROM "${options.roles.worker}";
       REVOKE USAGE ON SCHEMA queue FROM "${options.roles.api}"`,
    )
    await applyRoles(options, 'set_up')
    expect(await statementsLeft(options)).toEqual([])
  })

  test('does not touch objects of others, inside its schema and outside', async () => {
    const options = await setUpRoles()
    await queryRows(
      options.connectionString,
      `CREATE TABLE queue.theirs (id int); GRANT ALL ON queue.theirs TO PUBLIC, "${options.roles.api}";
       CREATE TABLE theirs (id int); GRANT ALL ON theirs TO "${options.roles.api}"`,
    )
    expect(await statementsLeft(options)).toEqual([])
  })

  test('in the schema public leaves the schema open to PUBLIC, and the tables closed', async () => {
    const options = { connectionString: await databases.empty(), schema: 'public', roles: testRoles.names() }
    await migrateUp(options)
    await applyRoles(options, 'set_up')
    expect(await statementsLeft(options)).toEqual([])
    const outsider = await testRoles.create('NOLOGIN')
    const privileges = `SELECT has_schema_privilege('${outsider}', 'public', 'USAGE') AS schema,
                        has_table_privilege('${outsider}', 'public.jobs', 'SELECT') AS jobs`
    expect(await queryRows(options.connectionString, privileges)).toEqual([{ schema: true, jobs: false }])
  })

  test('uses an existing role, and does not change its login', async () => {
    const login = await testRoles.create('LOGIN')
    const options = {
      connectionString: await databases.migrated(),
      roles: { ...testRoles.names(), api: login },
    }
    const { statements } = await applyRoles(options, 'set_up')
    expect(statements.join('\n')).not.toContain(`ROLE "${login}"`)
    expect(
      await queryRows(
        options.connectionString,
        `SELECT rolcanlogin FROM pg_roles WHERE rolname = '${login}'`,
      ),
    ).toEqual([{ rolcanlogin: true }])
  })

  test('refuses one role for two processes, and names that PostgreSQL would truncate', async () => {
    const connectionString = await databases.migrated()
    for (const roles of [
      { api: 'same', worker: 'same' },
      { api: 'x'.repeat(64) },
      { api: 'pg_monitor' },
      { api: 'public' },
      { api: '' },
      { api: 'with\u0000zero' },
    ]) {
      await expect(rolesPlan({ connectionString, roles }, 'set_up')).rejects.toMatchObject({
        code: 'invalid_options',
      })
    }
  })

  test('quotes any name of a role', async () => {
    const oddName = `Odd "name"; DROP TABLE queue.jobs; -- ${testRoles.suffix}`
    const options = {
      connectionString: await databases.migrated(),
      roles: { ...testRoles.names(), api: oddName },
    }
    testRoles.remember(oddName)
    await applyRoles(options, 'set_up')
    expect(await statementsLeft(options)).toEqual([])
  })

  test('needs the schema at the version of the code', async () => {
    const connectionString = await databases.empty()
    await expect(applyRoles({ connectionString, roles: testRoles.names() }, 'set_up')).rejects.toMatchObject({
      code: 'schema_mismatch',
      message: expect.stringContaining('queue-migrate up'),
    })
  })

  test('lets the roles connect to a database that is closed to PUBLIC', async () => {
    const options = { connectionString: await databases.migrated(), roles: testRoles.names() }
    const name = new URL(options.connectionString).pathname.slice(1)
    await queryRows(options.connectionString, `REVOKE CONNECT ON DATABASE "${name}" FROM PUBLIC`)
    await applyRoles(options, 'set_up')
    expect(await statementsLeft(options)).toEqual([])
    const may = `SELECT has_database_privilege('${options.roles.api}', current_database(), 'CONNECT') AS may`
    expect(await queryRows(options.connectionString, may)).toEqual([{ may: true }])
  })
})

describe('an owner that is no superuser', () => {
  /** A migrated database whose tables belong to a role with these attributes, with that role's connection string. */
  async function migrateAsOwner(
    attributes: string,
  ): Promise<{ connectionString: string; url: string; owner: string }> {
    const url = await databases.empty()
    const owner = await testRoles.create(attributes)
    const database = new URL(url).pathname.slice(1)
    await queryRows(url, `GRANT CREATE ON DATABASE "${database}" TO "${owner}"`)
    const connectionString = sessionUrl(url, owner)
    await migrateUp({ connectionString })
    return { connectionString, url, owner }
  }

  test('sets up the roles if it may create roles', async () => {
    const { connectionString } = await migrateAsOwner('CREATEROLE')
    const options = { connectionString, roles: testRoles.names() }
    await applyRoles(options, 'set_up')
    expect(await statementsLeft(options)).toEqual([])
  })

  test('is told what an administrator has to run if it may not, and nothing is changed', async () => {
    const { connectionString, owner } = await migrateAsOwner('NOCREATEROLE')
    const options = { connectionString, roles: testRoles.names() }
    const before = await statementsLeft(options)
    await expect(applyRoles(options, 'set_up')).rejects.toMatchObject({
      code: 'migration_failed',
      message: expect.stringMatching(
        new RegExp(`"${owner}" may not create roles.*CREATE ROLE "${options.roles.api}"`),
      ),
    })
    expect(await statementsLeft(options)).toEqual(before)
  })

  test('needs no right to create roles that exist', async () => {
    const { connectionString, url } = await migrateAsOwner('NOCREATEROLE')
    const roles = testRoles.names()
    await queryRows(
      url,
      Object.values(roles)
        .map((name) => `CREATE ROLE "${name}";`)
        .join(''),
    )
    await applyRoles({ connectionString, roles }, 'set_up')
    expect(await statementsLeft({ connectionString, roles })).toEqual([])
  })

  test('is told that setting a password needs CREATEROLE, without the password in the message', async () => {
    const { connectionString, url } = await migrateAsOwner('NOCREATEROLE')
    const roles = testRoles.names()
    await queryRows(
      url,
      Object.values(roles)
        .map((name) => `CREATE ROLE "${name}";`)
        .join(''),
    )
    const passwordVerifiers = { api: 'SCRAM-SHA-256$4096:c2FsdA==$c3RvcmVk:c2VydmVy' }
    await expect(applyRoles({ connectionString, roles, passwordVerifiers }, 'set_up')).rejects.toMatchObject({
      code: 'migration_failed',
      message: expect.stringMatching(
        new RegExp(`ALTER ROLE "${roles.api}" LOGIN PASSWORD '…'; .*CREATEROLE`),
      ),
    })
    expect(
      await queryRows(url, `SELECT FROM pg_roles WHERE rolname = '${roles.api}' AND rolcanlogin`),
    ).toEqual([])
  })

  test('cannot be one of the roles, and loses nothing when it is named as one', async () => {
    const { connectionString, url, owner } = await migrateAsOwner('CREATEROLE')
    const options = { connectionString, roles: { ...testRoles.names(), api: owner } }
    for (const goal of ['set_up', 'revoked'] as const) {
      await expect(applyRoles(options, goal)).rejects.toMatchObject({ code: 'invalid_options' })
    }
    await migrateUp(options)
    const may = `SELECT has_table_privilege('${owner}', 'queue.jobs', 'DELETE') AS may`
    expect(await queryRows(url, may)).toEqual([{ may: true }])
  })

  test.each([
    ['that has no privilege at all', ''],
    [
      'that PostgreSQL would only warn',
      'GRANT USAGE ON SCHEMA queue TO "stranger"; GRANT SELECT ON queue.jobs TO "stranger"',
    ],
  ])('somebody else %s is refused, and nothing is changed', async (_who, grants) => {
    const { url, owner } = await migrateAsOwner('CREATEROLE')
    const otherOwner = await testRoles.create('CREATEROLE')
    const select = `GRANT USAGE ON SCHEMA queue TO "${otherOwner}"; GRANT SELECT ON queue.migrations TO "${otherOwner}";`
    await queryRows(url, select + grants.replaceAll('"stranger"', `"${otherOwner}"`))
    const options = { connectionString: sessionUrl(url, otherOwner), roles: testRoles.names() }
    await expect(applyRoles(options, 'set_up')).rejects.toMatchObject({
      code: 'migration_failed',
      message: expect.stringMatching(
        new RegExp(`"${otherOwner}" may not run: .*the owner of the tables \\("${owner}"\\)`),
      ),
    })
    const names = Object.values(options.roles).map((name) => `'${name}'`)
    expect(
      await queryRows(url, `SELECT rolname FROM pg_roles WHERE rolname IN (${names.join(', ')})`),
    ).toEqual([])
  })
})

describe('queue-migrate up', () => {
  test('grants the set-up roles what they need on new tables, and revokes nothing', async () => {
    const options = await setUpRoles()
    await migrateDown({ ...options, to: 0 })
    const { sql: plan } = await migrationPlan(options)
    expect(plan).toContain(`TO "${options.roles.api}"`)
    await migrateUp(options)
    expect(await statementsLeft(options)).toEqual([])
    const more = `GRANT UPDATE ON queue.jobs TO "${options.roles.api}"`
    await queryRows(options.connectionString, more)
    expect((await migrationPlan(options)).sql).toBe('')
    await migrateUp(options)
    expect(await statementsLeft(options)).toHaveLength(2)
  })

  test('grants what a release needs in addition on a table that it does not change', async () => {
    const options = await setUpRoles()
    await queryRows(options.connectionString, `REVOKE SELECT ON queue.workers FROM "${options.roles.api}"`)
    expect((await migrationPlan(options)).sql).toMatch(/GRANT SELECT ON TABLE "queue".workers/)
    await migrateUp(options)
    expect(await statementsLeft(options)).toEqual([])
    expect((await migrationPlan(options)).sql).toBe('')
  })

  test('grants nothing to a role with the right name that was never set up', async () => {
    const options = { connectionString: await databases.empty(), roles: testRoles.names() }
    await queryRows(options.connectionString, `CREATE ROLE "${options.roles.api}"`)
    expect(await migrateUp(options)).toMatchObject({ to: codeVersion })
    expect(await statementsLeft(options)).toHaveLength(
      (await statementsLeft({ ...options, roles: testRoles.names() })).length - 1,
    )
  })
})

test('revoking removes all grants and keeps the roles, at any version; setting up restores the grants', async () => {
  const options = await setUpRoles()
  const plan = await rolesPlan(options, 'revoked')
  expect(await applyRoles(options, 'revoked')).toEqual(plan)
  expect((await applyRoles(options, 'revoked')).statements).toEqual([])
  const session = await sessionAs(options.connectionString, options.roles.worker)
  await expect(session.query('SELECT FROM queue.all_jobs')).rejects.toMatchObject({ code: '42501' })
  await session.end()
  const grants = (await statementsLeft(options)).filter((statement) => statement.startsWith('CREATE ROLE'))
  expect(grants).toEqual([])
  await applyRoles(options, 'set_up')
  expect(await statementsLeft(options)).toEqual([])
  await migrateDown({ ...options, to: 0 })
  expect((await applyRoles(options, 'revoked')).statements).not.toEqual([])
})

/** `url` with the option that sets the session's role. */
function sessionUrl(url: string, role: string): string {
  const withRole = new URL(url)
  withRole.searchParams.set('options', `-c role=${role}`)
  return withRole.href
}
