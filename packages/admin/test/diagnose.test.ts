import { readFile } from 'node:fs/promises'
import { roleNamesOf } from '@queue/postgres'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import {
  createTestRoles,
  expireLease,
  onConnection,
  queryRows,
  sessionAs,
  startEmbeddedPostgres,
} from '@queue/dev-postgres'
import { eventually } from '@queue/testing'
import { createQueue, migrateUp } from '@queue/core'
import { noteSlowClaim, processes, queueMigrationSet, stopWorker, databaseOf } from '@queue/core/internal'
import { type CheckName, checks, diagnose, type DiagnoseOptions } from '../src/doctor/diagnose.ts'
import { ownIndexes } from '../src/doctor/check-schema.ts'
import { bloatFrom, longTransactions, preparedTransactions } from '../src/doctor/check-vacuum.ts'
import type { Check, Finding } from '../src/doctor/finding.ts'
import { applyRoles } from '../src/roles.ts'
import { claim, enqueueProbes, openWorld, registered, running, type World } from './support/world.ts'

const testRoles = await createTestRoles(processes)
const roles = testRoles.names()
let world: World
beforeAll(async () => {
  world = await openWorld()
  await applyRoles({ connectionString: world.directUrl, roles }, 'set_up')
})
beforeEach(() => world.reset())
afterAll(async () => {
  await world.close()
  await testRoles.close()
})

type Options = Partial<DiagnoseOptions>

async function findingsOf(options: Options = {}): Promise<Record<CheckName, Finding>> {
  const diagnoseOptions = {
    connectionString: world.directUrl,
    roles,
    clientNowMs: () => Date.now(),
    ...options,
  }
  const { findings } = await diagnose(diagnoseOptions)
  return Object.fromEntries(findings.map(({ check, ...finding }) => [check, finding])) as Record<
    CheckName,
    Finding
  >
}

async function findingOf(check: CheckName, options: Options = {}): Promise<Finding> {
  return (await findingsOf(options))[check]
}

/** Runs the statements of the cure one by one: some cannot run in a transaction. */
async function applyCure({ cure }: Finding): Promise<void> {
  for (const statement of (cure ?? '').split(/(?<=;) /)) await world.sql(statement)
}

/** Runs a single check with limits of the test. */
function runCheck(check: Check, url = world.directUrl): Promise<Finding> {
  return onConnection(url, (client) =>
    check({
      client,
      schema: 'queue',
      migrationSet: queueMigrationSet,
      roles: roleNamesOf(processes, 'queue'),
      poolMax: 10,
      clientNowMs: () => Date.now(),
    }),
  )
}

/** With these limits every age is a warning. */
const atOnce = { warningSeconds: 0, failureSeconds: 3_600 }

test.each([
  ['extra_float_digits', '-15'],
  ['DateStyle', 'SQL,DMY'],
  ['IntervalStyle', 'sql_standard'],
  ['bytea_output', 'escape'],
  ['quote_all_identifiers', 'on'],
  ['TimeZone', 'America/St_Johns'],
])('finds the same where %s is %s', async (name, value) => {
  await enqueueProbes(world, 20)
  await running(world)
  await world.sql('ANALYZE queue.jobs')
  const url = new URL(world.directUrl)
  url.searchParams.set('options', `-c ${name}=${value}`)
  // Other processes open and close connections meanwhile.
  const { clock, connections: _, ...findings } = await findingsOf({ connectionString: url.href })
  const { clock: usualClock, connections: _others, ...usualFindings } = await findingsOf()
  expect(findings).toEqual(usualFindings)
  expect([clock.status, usualClock.status]).toEqual(['ok', 'ok'])
})

test('a running queue has no problem except the durability of a test server', async () => {
  await registered(world)
  const { durability: _, ...findings } = await findingsOf()
  expect(Object.entries(findings).filter(([, { status }]) => status !== 'ok')).toEqual([])
  expect(Object.values(findings).filter(({ cure }) => cure !== null)).toEqual([])
})

test('docs/doctor.md lists exactly the checks that exist, each with its cure', async () => {
  const page = await readFile(new URL('../../../docs/doctor.md', import.meta.url), 'utf8')
  const documented = [...page.matchAll(/^\| `([a-z_]+)` \| [^|]+ \| [^|]+ \|$/gm)].map(([, name]) => name)
  // The checks of an outbox have their own test.
  const ofQueue = documented.filter((name) => !name?.startsWith('outbox_'))
  expect(ofQueue).toEqual(Object.keys(checks))
})

describe('schema_version', () => {
  test.each([
    ['of an older schema', 'UPDATE queue.migrations SET version = 0', 'queue-migrate up'],
    ['of another build', 'UPDATE queue.migrations SET checksum = NULL', 'drop the schema'],
    ['of an empty migration history', 'DELETE FROM queue.migrations', 'queue-migrate up'],
    ['of a schema that is too new', 'UPDATE queue.migrations SET version = 99, min_code = 99', 'deploy'],
  ])('%s is a failure', async (_what, change, cure) => {
    const before = await world.sql('SELECT * FROM queue.migrations')
    await world.sql(change)
    const finding = await findingOf('schema_version')
    await world.sql('DELETE FROM queue.migrations')
    await world.sql(
      'INSERT INTO queue.migrations SELECT * FROM json_populate_recordset(NULL::queue.migrations, $1)',
      [JSON.stringify(before)],
    )
    expect(finding).toMatchObject({ status: 'failure', cure: expect.stringContaining(cure) })
  })

  test('of a missing schema is a failure, and checks that need the schema are skipped', async () => {
    const findings = await findingsOf({ schema: 'nowhere' })
    expect(findings.schema_version).toMatchObject({
      status: 'failure',
      cure: expect.stringContaining('queue-migrate up'),
    })
    for (const check of ['indexes', 'workers', 'orphaned_jobs', 'queues_paused', 'connections'] as const) {
      expect(findings[check].status).toBe('skipped')
    }
  })
})

describe('indexes', () => {
  test('are those of the migrations', async () => {
    const found = await world.sql<{ name: string }>(
      `SELECT indexname AS name FROM pg_indexes JOIN pg_class ON relname = indexname WHERE schemaname = 'queue' AND NOT relispartition`,
    )
    expect(new Set(ownIndexes)).toEqual(new Set(found.map(({ name }) => name)))
  })

  test('that are missing are a failure, and the cure restores them', async () => {
    const definitions = `SELECT indexname, indexdef FROM pg_indexes WHERE schemaname = 'queue' ORDER BY indexname`
    const before = await world.sql(definitions)
    const dropped = ownIndexes.filter((name) => name.endsWith('_idx'))
    for (const name of dropped) await world.sql(`DROP INDEX queue.${name}`)
    const finding = await findingOf('indexes')
    expect(finding).toMatchObject({ status: 'failure', details: { missing: dropped, invalid: [] } })
    await applyCure(finding)
    expect(await world.sql(definitions)).toEqual(before)
    expect(await findingOf('indexes')).toMatchObject({ status: 'ok' })
  })

  test('that are invalid are a failure, those left by a rebuild are a warning, and each cure helps', async () => {
    const invalidate = (name: string): Promise<unknown> =>
      world.sql(`UPDATE pg_index SET indisvalid = false WHERE indexrelid = 'queue.${name}'::regclass`)
    await invalidate('jobs_claim_idx')
    const broken = await findingOf('indexes')
    expect(broken).toMatchObject({ status: 'failure', details: { invalid: ['jobs_claim_idx'] } })
    await applyCure(broken)
    await world.sql('CREATE INDEX jobs_claim_idx_ccnew ON queue.jobs (queue)')
    await invalidate('jobs_claim_idx_ccnew')
    const leftBehind = await findingOf('indexes')
    expect(leftBehind).toMatchObject({ status: 'warning', details: { invalid: ['jobs_claim_idx_ccnew'] } })
    await applyCure(leftBehind)
    expect(await findingOf('indexes')).toMatchObject({ status: 'ok' })
  })
})

describe('roles', () => {
  test('that lack privileges are a failure, and those with too many a warning', async () => {
    await world.sql(`REVOKE SELECT ON queue.workers FROM "${roles.api}"`)
    await world.sql(`GRANT DELETE ON queue.queues TO "${roles.worker}"`)
    expect(await findingOf('roles')).toMatchObject({
      status: 'failure',
      details: {
        missing: [`GRANT SELECT ON TABLE "queue".workers TO "${roles.api}";`],
        surplus: [`REVOKE DELETE ON TABLE "queue".queues FROM "${roles.worker}";`],
      },
    })
    await world.sql(`GRANT SELECT ON queue.workers TO "${roles.api}"`)
    await world.sql(`GRANT UPDATE ON queue.jobs TO "${roles.api}"`)
    expect(await findingOf('roles')).toMatchObject({ status: 'warning' })
    await applyRoles({ connectionString: world.directUrl, roles }, 'set_up')
    expect(await findingOf('roles')).toMatchObject({ status: 'ok' })
  })

  test('that are superusers are a warning, and missing roles are not', async () => {
    await world.sql(`ALTER ROLE "${roles.readonly}" SUPERUSER`)
    const finding = await findingOf('roles')
    await world.sql(`ALTER ROLE "${roles.readonly}" NOSUPERUSER`)
    expect(finding).toMatchObject({ status: 'warning', details: { superusers: [roles.readonly] } })
    expect(await findingOf('roles', { roles: testRoles.names() })).toMatchObject({
      status: 'ok',
      details: { set_up: [] },
    })
  })
})

describe('the server', () => {
  test('that can lose commits is a failure, by its settings or those of a database or a role', async () => {
    const name = new URL(world.directUrl).pathname.slice(1)
    await world.sql(`ALTER DATABASE "${name}" SET synchronous_commit = false`)
    await world.sql(`ALTER ROLE "${roles.worker}" IN DATABASE "${name}" SET synchronous_commit = off`)
    const finding = await findingOf('durability')
    await world.sql(`ALTER ROLE "${roles.worker}" IN DATABASE "${name}" RESET synchronous_commit`)
    await world.sql(`ALTER DATABASE "${name}" RESET synchronous_commit`)
    expect(finding).toMatchObject({ status: 'failure', details: { synchronous_commit: 'off' } })
    expect(finding.message).toContain(`synchronous_commit is off for ${roles.worker}`)
    expect(finding.cure).toContain(
      `ALTER ROLE "${roles.worker}" IN DATABASE "${name}" RESET synchronous_commit;`,
    )
    expect(finding.cure).toContain(`ALTER DATABASE "${name}" RESET synchronous_commit;`)
    expect(finding.cure).not.toContain('ALTER SYSTEM SET synchronous_commit')
    expect((await findingOf('durability')).message).not.toContain('synchronous_commit')
  })

  test('in which every role may create functions is a warning, and the cure helps', async () => {
    await world.sql('GRANT CREATE ON SCHEMA public TO PUBLIC')
    const finding = await findingOf('object_creation')
    expect(finding).toMatchObject({ status: 'warning', details: { schemas: ['public'] } })
    await applyCure(finding)
    expect((await findingOf('object_creation')).status).toBe('ok')
  })

  test('without autovacuum for a table of the queue is a failure, and the cure helps', async () => {
    await world.sql('ALTER TABLE queue.jobs SET (autovacuum_enabled = off)')
    const finding = await findingOf('autovacuum')
    expect(finding).toMatchObject({ status: 'failure', details: { tables_off: ['jobs'] } })
    await applyCure(finding)
    expect(await findingOf('autovacuum')).toMatchObject({ status: 'ok' })
  })

  test.each([
    [5_400_000, 'behind'],
    [-5_400_000, 'ahead of'],
  ])('whose clock is more than an hour away (%i ms) is a warning', async (offsetMs, direction) => {
    const finding = await findingOf('clock', { clientNowMs: () => Date.now() + offsetMs })
    expect(finding).toMatchObject({ status: 'warning', message: expect.stringContaining(`1 h ${direction}`) })
    expect(Number(finding.details['offset_ms'])).toBeCloseTo(-offsetMs, -4)
  })

  test('with fewer connections than the workers may use is a warning', async () => {
    await registered(world, { concurrency: 8 })
    const finding = await findingOf('connections', { poolMax: 1_000 })
    expect(finding).toMatchObject({ status: 'warning', details: { workers_at_most: 1_010 } })
    expect(await findingOf('connections')).toMatchObject({ status: 'ok', details: { workers_at_most: 20 } })
  })
})

describe('the age of the oldest snapshot', () => {
  test('is that of an open transaction', async () => {
    const holder = await world.session()
    await holder.query('BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT 1')
    const { rows } = await holder.query<{ pid: number }>('SELECT pg_backend_pid() AS pid')
    expect(await runCheck(longTransactions(atOnce))).toMatchObject({
      status: 'warning',
      details: { transactions: [{ pid: rows[0]?.pid, state: 'idle in transaction' }] },
      cure: expect.stringContaining(`pg_terminate_backend(${rows[0]?.pid})`),
    })
    expect(await runCheck(longTransactions({ warningSeconds: 0, failureSeconds: 0 }))).toMatchObject({
      status: 'failure',
    })
    expect(await findingOf('long_transactions')).toMatchObject({ status: 'ok' })
    await holder.query('COMMIT')
    expect(await runCheck(longTransactions(atOnce))).toMatchObject({ status: 'ok' })
  })

  test('is unknown to a role without access to the sessions of others, which is no failure', async () => {
    await world.session()
    const stranger = await sessionAs(world.directUrl, roles.readonly)
    await stranger.end()
    const url = new URL(world.directUrl)
    url.searchParams.set('options', `-c role=${roles.readonly}`)
    expect(await findingOf('long_transactions', { connectionString: url.href })).toMatchObject({
      status: 'not_permitted',
      message: expect.stringMatching(/^not permitted: /),
      cure: expect.stringContaining('pg_read_all_stats'),
    })
  })

  test('is that of an unused replication slot', async () => {
    const slot = `queue_test_${process.pid}_${Date.now()}`
    await world.sql('SELECT pg_create_physical_replication_slot($1, true)', [slot])
    try {
      const finding = await findingOf('replication_slots')
      expect(finding).toMatchObject({
        status: 'warning',
        cure: expect.stringContaining('pg_drop_replication_slot'),
      })
      expect(finding.details['abandoned']).toContainEqual(
        expect.objectContaining({ name: slot, holds_rows: false }),
      )
    } finally {
      await world.sql('SELECT pg_drop_replication_slot($1)', [slot])
    }
  })

  test('is that of a published table without a replica identity, and the cure helps', async () => {
    await world.sql('ALTER TABLE queue.limits REPLICA IDENTITY NOTHING')
    expect(await findingOf('publications')).toMatchObject({ status: 'warning' })
    await world.sql('CREATE PUBLICATION everything FOR ALL TABLES')
    try {
      const finding = await findingOf('publications')
      expect(finding).toMatchObject({
        status: 'failure',
        details: { tables: [{ name: 'limits', publications: ['everything'] }] },
      })
      await world.sql(finding.cure ?? '')
      expect(await findingOf('publications')).toMatchObject({ status: 'ok' })
    } finally {
      await world.sql('DROP PUBLICATION everything')
      await world.sql('ALTER TABLE queue.limits REPLICA IDENTITY DEFAULT')
    }
  })

  test('causes dead rows and bloated indexes, and the cure helps', async () => {
    await world.sql('ALTER TABLE queue.jobs SET (autovacuum_enabled = off)')
    await world.sql(
      `INSERT INTO queue.jobs (id, kind, payload)
       SELECT gen_random_uuid(), 'probe', '{}' FROM generate_series(1, 20000)`,
    )
    await world.sql('ANALYZE queue.jobs')
    expect(await runCheck(bloatFrom(200_000))).toMatchObject({ status: 'ok' })
    // The statistics of a session are visible to others when it ends.
    await queryRows(world.directUrl, 'DELETE FROM queue.jobs')
    const deadRows = await eventually(
      async () => {
        const finding = await findingOf('bloat')
        return finding.status === 'warning' && finding
      },
      { what: 'the dead rows are counted' },
    )
    expect(deadRows.message).toMatch(/^jobs has \d+ dead rows/)
    expect(deadRows.cure).toContain('VACUUM "queue".jobs;')
    await world.sql('VACUUM ANALYZE queue.jobs')
    const large = await runCheck(bloatFrom(200_000))
    expect(large.cure).toContain('REINDEX INDEX CONCURRENTLY "queue".jobs_pkey;')
    const indexes = [...(large.cure ?? '').matchAll(/REINDEX INDEX CONCURRENTLY \S+;/g)].map(([text]) => text)
    for (const statement of indexes) await world.sql(statement)
    await world.sql('ALTER TABLE queue.jobs RESET (autovacuum_enabled)')
    expect((await runCheck(bloatFrom(200_000))).cure ?? '').not.toContain('REINDEX')
  })
})

describe('a separate server', () => {
  test('has the status of the worst finding: a setting of the server, an open transaction, no worker', async () => {
    const server = await startEmbeddedPostgres({
      settings: { fsync: 'on', full_page_writes: 'on', max_prepared_transactions: 2 },
    })
    const diagnoseOptions = { connectionString: server.url, clientNowMs: () => Date.now() }
    try {
      await migrateUp({ connectionString: server.url })
      expect(await diagnose(diagnoseOptions)).toMatchObject({ status: 'warning' })
      const queue = createQueue({ connectionString: server.url })
      await registered({ database: databaseOf(queue) })
      await queue.close()
      const healthy = await diagnose(diagnoseOptions)
      expect(healthy.findings.filter(({ status }) => status !== 'ok')).toEqual([])
      expect(healthy.status).toBe('ok')

      await onConnection(server.url, async (client) => {
        await client.query(`ALTER SYSTEM SET autovacuum = 'off'`)
        await client.query('SELECT pg_reload_conf()')
        await client.query('BEGIN')
        await client.query('DELETE FROM queue.queues')
        await client.query(`PREPARE TRANSACTION 'it''s forgotten'`)
      })
      const unhealthy = await eventually(
        async () => {
          const diagnosis = await diagnose(diagnoseOptions)
          return diagnosis.status === 'failure' && diagnosis
        },
        { what: 'the server has read its settings' },
      )
      const autovacuum = unhealthy.findings.find(({ check }) => check === 'autovacuum')
      expect(autovacuum?.cure).toBe(`ALTER SYSTEM SET autovacuum = 'on'; SELECT pg_reload_conf();`)
      expect(await runCheck(preparedTransactions(atOnce), server.url)).toMatchObject({
        status: 'warning',
        cure: `COMMIT PREPARED or ROLLBACK PREPARED 'it''s forgotten';`,
      })
    } finally {
      await server.stop()
    }
  })
})

describe('the queue', () => {
  test('without a worker, or with lost ones, is a warning; with dead workers that are not recovered a failure', async () => {
    expect(await findingOf('workers')).toMatchObject({ status: 'warning', message: 'no worker is active' })
    const id = await registered(world)
    expect(await findingOf('workers')).toMatchObject({ status: 'ok' })
    await world.sql(`UPDATE queue.workers SET state = 'lost' WHERE id = $1`, [id])
    expect(await findingOf('workers')).toMatchObject({ status: 'warning', details: { lost: 1 } })
    const expired = await registered(world)
    await expireLease(world, expired)
    // Lost by its lease, before any worker has marked it.
    expect(await findingOf('workers')).toMatchObject({
      status: 'warning',
      message: 'no worker is active; 2 workers lost within the last hour',
      details: { overdue: 0, lost: 2 },
    })
    await world.sql(
      `UPDATE queue.workers SET lease_expires_at = now() - interval '2 minutes' WHERE id = $1`,
      [expired],
    )
    expect(await findingOf('workers')).toMatchObject({ status: 'failure', details: { overdue: 1 } })
  })

  test('with running jobs that no worker runs is a failure, and without them is not', async () => {
    const job = await running(world)
    expect(await findingOf('orphaned_jobs')).toMatchObject({
      status: 'ok',
      message: 'no job has been without an active worker for more than 60 s',
    })
    await world.sql(`UPDATE queue.jobs SET locked_at = now() - interval '1 hour' WHERE id = $1`, [job.id])
    expect(await findingOf('orphaned_jobs')).toMatchObject({ status: 'ok' })
    for (const change of [
      `UPDATE queue.workers SET lease_expires_at = now() - interval '2 minutes'`,
      `UPDATE queue.workers SET state = 'lost'`,
      'DELETE FROM queue.workers',
    ]) {
      await world.sql(change)
      expect(await findingOf('orphaned_jobs')).toMatchObject({ status: 'failure', details: { jobs: 1 } })
    }
  })

  test('that has no days ahead for ended jobs is a warning, until a worker makes them', async () => {
    const days = `UPDATE queue.ended_days SET day = day - $1 * interval '24 hours'`
    await world.sql(days, [20])
    const finding = await findingOf('ended_days')
    expect(finding).toMatchObject({
      status: 'warning',
      message: expect.stringContaining('next 0 days only'),
      cure: expect.stringContaining('turn_ended_days'),
      details: { ahead: 0 },
    })
    await world.sql(days, [-20])
    expect(await findingOf('ended_days')).toMatchObject({ status: 'ok', details: { ahead: 7 } })
  })

  test('whose active workers have different time zone data is a warning with their versions', async () => {
    await registered(world, { zoneVersion: '2026c' })
    await registered(world, { zoneVersion: '2026c' })
    expect(await findingOf('zone_data')).toMatchObject({ status: 'ok' })
    const older = await registered(world, { zoneVersion: '2025b' })
    expect(await findingOf('zone_data')).toMatchObject({
      status: 'warning',
      message: expect.stringContaining('2025b, 2026c'),
      details: { versions: ['2025b', '2026c'] },
    })
    await stopWorker(databaseOf(world.queue), older)
    expect(await findingOf('zone_data')).toMatchObject({ status: 'ok' })
  })

  test('whose claims took seconds lately is a warning with the slowest', async () => {
    const ids = [await registered(world), await registered(world)]
    for (const [index, id] of ids.entries())
      await noteSlowClaim(databaseOf(world.queue), id, 1_000 * (index + 1))
    expect(await findingOf('claims')).toMatchObject({
      status: 'warning',
      message: expect.stringMatching(/^claims of 2 workers took up to 2\.0 s/),
      details: { workers: 2, slowest_ms: 2_000 },
    })
    await world.sql(`UPDATE queue.workers SET slow_claim_at = slow_claim_at - interval '16 minutes'`)
    expect(await findingOf('claims')).toMatchObject({ status: 'ok' })
  })

  test('with due jobs that no active worker can claim is a warning, by queue and by kind', async () => {
    const id = await registered(world)
    await enqueueProbes(world, 3)
    expect(await findingOf('unserved_jobs')).toMatchObject({ status: 'ok' })
    await world.sql(`UPDATE queue.jobs SET run_at = now() - interval '13 minutes'`)
    expect(await findingOf('unserved_jobs')).toMatchObject({ status: 'ok' })
    await world.sql(`UPDATE queue.workers SET kinds = '{another}' WHERE id = $1`, [id])
    expect(await findingOf('unserved_jobs')).toMatchObject({
      status: 'warning',
      details: { unserved: [{ jobs: 3, queue_is_served: true }] },
    })
    await world.sql(`UPDATE queue.workers SET queues = '{another}' WHERE id = $1`, [id])
    const unserved = await findingOf('unserved_jobs')
    expect(unserved).toMatchObject({ details: { unserved: [{ jobs: 3, queue_is_served: false }] } })
    expect(unserved.message).toMatch(/^3 jobs of queue default, .* 13 min/)
    // No worker should claim them.
    await world.queue.pause('default')
    expect(await findingOf('unserved_jobs')).toMatchObject({ status: 'ok' })
  })

  test('of a version that no live worker runs are a warning that names the version', async () => {
    await registered(world)
    await enqueueProbes(world, 1)
    await world.sql(`UPDATE queue.jobs SET kind_version = 2, run_at = now() - interval '13 minutes'`)
    const { status, message } = await findingOf('unserved_jobs')
    expect(status).toBe('warning')
    expect(message).toMatch(/version 2|\/2/)
    await world.sql(`UPDATE queue.workers SET kinds = kinds || (SELECT kind || '/2' FROM queue.all_jobs)`)
    expect(await findingOf('unserved_jobs')).toMatchObject({ status: 'ok' })
  })

  test('with a paused queue is a warning', async () => {
    await world.queue.pause('default')
    expect(await findingOf('queues_paused')).toMatchObject({
      status: 'warning',
      details: { paused: [{ name: 'default' }] },
    })
  })
})

describe('the role that runs doctor', () => {
  test('can be the readonly role, which can run every check but one', async () => {
    await registered(world)
    await enqueueProbes(world, 3)
    const url = new URL(world.directUrl)
    url.searchParams.set('options', `-c role=${roles.readonly}`)
    const findings = await findingsOf({ connectionString: url.href })
    const notPermitted = Object.entries(findings).filter(([, { status }]) => status === 'not_permitted')
    expect(notPermitted.map(([check]) => check)).toEqual(['long_transactions'])
  })

  test('can have no privileges, which is reported and is no failure', async () => {
    const nobody = await testRoles.create('NOLOGIN')
    const url = new URL(world.directUrl)
    url.searchParams.set('options', `-c role=${nobody}`)
    const findings = await findingsOf({ connectionString: url.href })
    for (const check of ['schema_version', 'workers', 'orphaned_jobs', 'queues_paused'] as const) {
      expect(findings[check]).toMatchObject({ status: 'not_permitted', cure: expect.any(String) })
    }
  })

  test('changes nothing', async () => {
    const queue = createQueue({ connectionString: world.directUrl })
    await enqueueProbes(world, 2)
    await claim({ database: databaseOf(queue) }, await registered(world), { limit: 1 })
    const everything = `SELECT (SELECT json_agg(j) FROM queue.all_jobs AS j) AS jobs,
      (SELECT json_agg(w) FROM queue.workers AS w) AS workers, (SELECT json_agg(q) FROM queue.queues AS q) AS queues`
    const before = await world.sql(everything)
    await findingsOf()
    expect(await world.sql(everything)).toEqual(before)
    await queue.close()
  })
})
