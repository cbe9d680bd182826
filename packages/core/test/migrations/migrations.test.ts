import { afterAll, describe, expect, test } from '@jest/globals'
import { connectClient, elapsedMs, leastOfTries, until } from '@queue/dev-postgres'
import type { MigrationEvent } from '@queue/postgres'
import type pg from 'pg'
import { connect } from '../../src/database/connect.ts'
import { migrateDown, migrateUp, migrationPlan, migrationStatus } from '../../src/facade/manage-schema.ts'
import { createQueue } from '../../src/facade/queue.ts'
import { checkSchemaVersion, codeVersion, migrations } from '../../src/migrations/index.ts'
import { finishJobs } from '../../src/transitions/finish-jobs.ts'
import { claim, newWorker, probe } from '../support/builders.ts'
import { testDatabases } from '../support/world.ts'
import { databaseOf } from '../../src/enqueue/queue-internals.ts'

const databases = await testDatabases()
afterAll(() => databases.close())

/** Runs `work` on a connection of its own. */
async function withClient<Result>(
  url: string,
  work: (client: pg.Client) => Promise<Result>,
): Promise<Result> {
  const client = await connectClient(url)
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}

const rowsOf = <Row>(url: string, text: string): Promise<Row[]> =>
  withClient(url, async (client) => (await client.query(text)).rows as Row[])

/** `url` with settings for its sessions, such as a role or a database may have. */
function withOptions(url: string, options: string): string {
  const withOption = new URL(url)
  withOption.searchParams.set('options', options)
  return withOption.href
}

async function versionOf(
  url: string,
  schema = 'queue',
): Promise<{ status: string; databaseVersion: number }> {
  const database = connect({ connectionString: url, schema })
  const { status, databaseVersion } = await checkSchemaVersion(database)
  await database.close()
  return { status, databaseVersion }
}

/** Runs one job from enqueue to end. */
async function runsOneJob(url: string, schema = 'queue'): Promise<void> {
  const queue = createQueue({ connectionString: url, schema })
  const { job } = await queue.enqueue(probe, {}, { idempotencyKey: 'k' })
  const [claimed] = await claim(
    { database: databaseOf(queue) },
    await newWorker({ database: databaseOf(queue) }),
  )
  if (claimed === undefined) throw new Error('nothing was claimed')
  await finishJobs(databaseOf(queue), [{ lease: claimed.lease, resultText: '1', note: null }])
  expect(await queue.get(job.id)).toMatchObject({ status: 'succeeded' })
  expect((await queue.list({ status: 'succeeded' })).jobs).toHaveLength(1)
  await queue.close()
}

describe('up', () => {
  test('brings an empty database to the version of the code, applying each step once', async () => {
    const connectionString = await databases.empty()
    const events: MigrationEvent[] = []
    const first = await migrateUp({ connectionString, onProgress: (event) => events.push(event) })
    expect(first).toEqual({ schema: 'queue', from: 0, to: codeVersion, codeVersion })
    expect(events).toEqual(migrations.map(({ version, name }) => ({ type: 'applied', version, name })))
    expect(await migrateUp({ connectionString, onProgress: (event) => events.push(event) })).toEqual({
      schema: 'queue',
      from: codeVersion,
      to: codeVersion,
      codeVersion,
    })
    expect(events).toHaveLength(migrations.length)
    const { migrations: states } = await migrationStatus({ connectionString })
    expect(states.every((state) => state.appliedAt instanceof Date)).toBe(true)
    await runsOneJob(connectionString)
  })

  test('is shown with the same times, whatever a setting says about the digits of numbers', async () => {
    const connectionString = await databases.migrated()
    const rounding = { connectionString: withOptions(connectionString, '-c extra_float_digits=-15') }
    expect(await migrationStatus(rounding)).toEqual(await migrationStatus({ connectionString }))
  })

  async function migrateByEightRunners(connectionString: string): Promise<void> {
    const events: MigrationEvent[] = []
    const runs = Array.from({ length: 8 }, () =>
      migrateUp({ connectionString, onProgress: (event) => events.push(event) }),
    )
    const reports = await Promise.all(runs)
    expect(reports.every((report) => report.to === codeVersion)).toBe(true)
    expect(events.filter((event) => event.type === 'applied')).toHaveLength(migrations.length)
    expect(await rowsOf(connectionString, 'SELECT version FROM queue.migrations')).toHaveLength(codeVersion)
  }

  test('by eight runners at once applies each step once', async () => {
    await migrateByEightRunners(await databases.empty())
  })

  test('by eight runners at once applies each step once also where transactions are serializable by default', async () => {
    await migrateByEightRunners(
      withOptions(await databases.empty(), '-c default_transaction_isolation=serializable'),
    )
  })

  test('refuses a database that is newer than the code, and so does down', async () => {
    const connectionString = await databases.migrated()
    await rowsOf(
      connectionString,
      `INSERT INTO queue.migrations (version, name, min_code) VALUES (99, 'future', 99)`,
    )
    await expect(migrateUp({ connectionString })).rejects.toMatchObject({ code: 'schema_mismatch' })
    await expect(migrateDown({ connectionString })).rejects.toMatchObject({ code: 'schema_mismatch' })
    expect(await migrationStatus({ connectionString })).toMatchObject({
      databaseVersion: 99,
      migrations: [...migrations.map(({ version }) => ({ version })), { version: 99, name: 'future' }],
    })
    expect((await migrationPlan({ connectionString })).sql).toBe('')
  })

  test('that is cut in the middle leaves nothing half done, and the next run completes it', async () => {
    const connectionString = await databases.empty()
    const holder = await connectClient(connectionString)
    await holder.query(`SELECT pg_advisory_lock(hashtextextended('queue.migrate.queue', 0))`)
    const cut = migrateUp({ connectionString }).catch((error: unknown) => error)
    await until('the runner waits, and is cut', async () => {
      const { rowCount } = await holder.query(
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
          WHERE application_name = 'queue-migrate' AND wait_event_type = 'Lock' AND datname = current_database()`,
      )
      return rowCount === 1
    })
    expect(await cut).toMatchObject({ code: 'database_unavailable' })
    await holder.end()
    expect(await versionOf(connectionString)).toMatchObject({ status: 'missing' })
    expect(await migrateUp({ connectionString })).toMatchObject({ from: 0, to: codeVersion })
  })

  test('of a database that is not there is database_unavailable', async () => {
    const connectionString = 'postgres://nobody@127.0.0.1:1/nowhere'
    await expect(migrateUp({ connectionString })).rejects.toMatchObject({ code: 'database_unavailable' })
  })
})

describe('down', () => {
  test('undoes the steps, and up can apply them again', async () => {
    const connectionString = await databases.migrated()
    expect(await migrateDown({ connectionString, to: 0 })).toEqual({
      schema: 'queue',
      from: codeVersion,
      to: 0,
      codeVersion,
    })
    const remainingRelations = `SELECT relname FROM pg_class WHERE relnamespace = 'queue'::regnamespace AND relkind IN ('r', 'S', 'v')
                  UNION ALL SELECT typname FROM pg_type WHERE typnamespace = 'queue'::regnamespace AND typtype = 'e'`
    expect(await rowsOf(connectionString, remainingRelations)).toEqual([{ relname: 'migrations' }])
    expect(await versionOf(connectionString)).toEqual({ status: 'missing', databaseVersion: 0 })
    await migrateUp({ connectionString })
    await runsOneJob(connectionString)
  })

  test.each([-1, 1.5, codeVersion + 1, Number.NaN])('to version %d is refused', async (to) => {
    const connectionString = await databases.migrated()
    await expect(migrateDown({ connectionString, to })).rejects.toMatchObject({ code: 'invalid_options' })
    expect(await versionOf(connectionString)).toMatchObject({ status: 'compatible' })
  })

  test('gives way to a transaction that uses the tables, and continues after it', async () => {
    const connectionString = await databases.migrated()
    const user = await connectClient(connectionString)
    await user.query('BEGIN')
    await user.query('SELECT FROM queue.all_jobs')
    const events: MigrationEvent[] = []
    const down = migrateDown({ connectionString, to: 0, onProgress: (event) => events.push(event) })
    await until('the step has given way once', async () => events.some((event) => event.type === 'waiting'))
    await user.query('COMMIT')
    await user.end()
    expect(await down).toMatchObject({ to: 0 })
  })
})

test('a step that waits for a transaction stands before other queries for less than half a second', async () => {
  const connectionString = await databases.migrated()
  const user = await connectClient(connectionString)
  const reader = await connectClient(connectionString)
  await user.query('BEGIN')
  await user.query('SELECT FROM queue.all_jobs')
  const down = migrateDown({ connectionString, to: 0 })
  const waitedMs = await leastOfTries(500, async () => {
    await until('the step waits for the table', async () => {
      const { rowCount } = await reader.query(
        `SELECT FROM pg_locks JOIN pg_stat_activity USING (pid)
          WHERE application_name = 'queue-migrate' AND locktype = 'relation' AND NOT granted
            AND datname = current_database()`,
      )
      return rowCount === 1
    })
    return elapsedMs(() => reader.query('SELECT FROM queue.all_jobs'))
  })
  await user.query('COMMIT')
  await Promise.all([user.end(), reader.end()])
  expect(await down).toMatchObject({ to: 0 })
  expect(waitedMs).toBeLessThan(500)
})

describe('the plan', () => {
  test('run by hand gives the same schema as up', async () => {
    const byHand = await databases.empty()
    const { sql: plan } = await migrationPlan({ connectionString: byHand })
    expect(await versionOf(byHand)).toMatchObject({ status: 'missing' })
    await withClient(byHand, (client) => client.query(plan))
    expect(await versionOf(byHand)).toEqual({ status: 'compatible', databaseVersion: codeVersion })
    expect((await migrationPlan({ connectionString: byHand })).sql).toBe('')
    expect(await migrateUp({ connectionString: byHand })).toMatchObject({ from: codeVersion })
    await runsOneJob(byHand)
  })

  test('names only the requested schema', async () => {
    const connectionString = await databases.empty()
    const { sql: plan } = await migrationPlan({ connectionString, schema: 'jobs_of_mine' })
    expect(plan).toContain('"jobs_of_mine".jobs')
    expect(plan).not.toContain('"queue"')
  })
})

describe('a schema of another name', () => {
  test('has its own queue beside the first', async () => {
    const connectionString = await databases.migrated()
    const schema = 'q'.repeat(56)
    await migrateUp({ connectionString, schema })
    await runsOneJob(connectionString, schema)
    await runsOneJob(connectionString)
    const queue = createQueue({ connectionString, schema })
    await withClient(connectionString, async (client) => {
      await client.query('BEGIN')
      await queue.enqueue(probe, {}, { transaction: client })
      await client.query('COMMIT')
    })
    await queue.close()
    expect(await rowsOf(connectionString, `SELECT count(*)::int AS count FROM "${schema}".all_jobs`)).toEqual(
      [{ count: 2 }],
    )
  })

  test('may exist already, for a role that may not create schemas', async () => {
    const url = await databases.empty()
    const role = `queue_limited_${process.pid}_${Date.now()}`
    await withClient(url, async (client) => {
      await client.query(`CREATE ROLE ${role}`)
      await client.query(`REVOKE CREATE ON DATABASE "${new URL(url).pathname.slice(1)}" FROM PUBLIC`)
      await client.query(`CREATE SCHEMA mine; GRANT USAGE, CREATE ON SCHEMA mine TO ${role}`)
    })
    try {
      const connectionString = withOptions(url, `-c role=${role}`)
      await expect(migrateUp({ connectionString, schema: 'theirs' })).rejects.toMatchObject({ code: '42501' })
      expect(await migrateUp({ connectionString, schema: 'mine' })).toMatchObject({ to: codeVersion })
      await runsOneJob(connectionString, 'mine')
    } finally {
      await withClient(url, (client) => client.query(`DROP OWNED BY ${role}; DROP ROLE ${role}`))
    }
  })
})

describe('a hostile search path', () => {
  const shadowObjects = `
    CREATE SCHEMA evil;
    CREATE TYPE evil.job_status AS ENUM ('evil');
    CREATE TABLE evil.jobs (id int); CREATE TABLE evil.queues (id int); CREATE TABLE evil.workers (id int);
    CREATE TABLE evil.migrations (version int); INSERT INTO evil.migrations VALUES (99);
    CREATE TABLE evil.job_executions (id int); CREATE TABLE evil.dead_letter_jobs (id int)`
  /** Functions with exactly the argument types of a careless call: PostgreSQL would prefer them to its own. */
  const shadowFunctions = [
    'hashtextextended(text, integer) RETURNS bigint',
    'pg_advisory_xact_lock(integer) RETURNS void',
    'lpad(text, smallint, text) RETURNS text',
    'set_config(text, text, integer) RETURNS text',
    'to_timestamp(integer) RETURNS timestamptz',
  ]

  test.each([
    ['evil', shadowFunctions],
    ['evil, pg_catalog', []],
  ])('%s changes nothing', async (path, functions) => {
    const url = await databases.empty()
    await withClient(url, async (client) => {
      await client.query(shadowObjects)
      for (const trap of functions) {
        await client.query(
          `CREATE FUNCTION evil.${trap} LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'trapped'; END $$`,
        )
      }
    })
    const connectionString = withOptions(url, `-c search_path=${path.replace(' ', '')}`)
    await migrateUp({ connectionString })
    await runsOneJob(connectionString)
    expect(await migrationStatus({ connectionString })).toMatchObject({ databaseVersion: codeVersion })
    expect(await versionOf(connectionString)).toMatchObject({ status: 'compatible' })
    expect(await migrateDown({ connectionString, to: 0 })).toMatchObject({ to: 0 })
    expect(await rowsOf(url, 'SELECT count(*)::int AS count FROM evil.jobs')).toEqual([{ count: 0 }])
  })
})

describe('the version check', () => {
  test.each([
    ['of the very version of the code is compatible', codeVersion, codeVersion, 'compatible'],
    [
      'of a newer version that this code can run on is compatible',
      codeVersion + 1,
      codeVersion,
      'compatible',
    ],
    ['of a newer version that this code cannot run on is newer', codeVersion + 1, codeVersion + 1, 'newer'],
    ['of an older version is older', codeVersion - 1, 0, 'older'],
  ])('%s', async (...[, version, minCode, status]) => {
    const url = await databases.migrated()
    await withClient(url, async (client) => {
      const { rows } = await client.query('DELETE FROM queue.migrations RETURNING version, checksum')
      const checksum = rows.find((row) => row.version === version)?.checksum ?? null
      await client.query(
        'INSERT INTO queue.migrations (version, name, min_code, checksum) VALUES ($1, $2, $3, $4)',
        [version, 'planted', minCode, checksum],
      )
    })
    expect(await versionOf(url)).toEqual({ status, databaseVersion: version })
  })

  test.each([
    ['has another checksum', `UPDATE queue.migrations SET checksum = md5(checksum)`],
    ['has none', 'ALTER TABLE queue.migrations DROP COLUMN checksum'],
  ])(
    'of which a step %s is different: for status, plan, up, and a newer version as well',
    async (_, change) => {
      const url = await databases.migrated()
      await rowsOf(url, change)
      expect(await versionOf(url)).toEqual({ status: 'different', databaseVersion: codeVersion })
      await rowsOf(url, `INSERT INTO queue.migrations (version, name, min_code) VALUES (99, 'future', 1)`)
      expect(await versionOf(url)).toEqual({ status: 'different', databaseVersion: 99 })
      const options = { connectionString: url }
      expect(await migrationStatus(options)).toMatchObject({
        status: 'different',
        remedy: expect.stringMatching(
          /^step 1 \(initial\) was applied with another text .*: drop the schema, or run queue-migrate down/,
        ),
      })
      await expect(migrateUp(options)).rejects.toMatchObject({
        code: 'schema_mismatch',
        message: expect.stringContaining('drop the schema'),
      })
    },
  )

  test('of an unreleased build that was brought down is brought up, with checksums', async () => {
    const url = await databases.migrated()
    await migrateDown({ connectionString: url, to: 0 })
    await rowsOf(url, 'ALTER TABLE queue.migrations DROP COLUMN checksum')
    const plan = await migrationPlan({ connectionString: url })
    expect(plan.sql).toContain('ADD COLUMN checksum')
    await migrateUp({ connectionString: url })
    expect(await versionOf(url)).toEqual({ status: 'compatible', databaseVersion: codeVersion })
  })

  test('of a database without the schema, without the migration history, or with an empty one is missing', async () => {
    const missing = { status: 'missing', databaseVersion: 0 }
    const url = await databases.empty()
    expect(await versionOf(url)).toEqual(missing)
    await rowsOf(url, 'CREATE SCHEMA queue')
    expect(await versionOf(url)).toEqual(missing)
    const emptied = await databases.migrated()
    await rowsOf(emptied, 'DELETE FROM queue.migrations')
    expect(await versionOf(emptied)).toEqual(missing)
  })
})

test('the steps are numbered from 1 without gaps, and none needs code newer than itself', () => {
  expect(migrations.map((migration) => migration.version)).toEqual(migrations.map((_, index) => index + 1))
  expect(migrations.every(({ version, minCode }) => minCode >= 1 && minCode <= version)).toBe(true)
  expect(migrations.every(({ name }) => /^[a-z0-9-]+$/.test(name))).toBe(true)
})
