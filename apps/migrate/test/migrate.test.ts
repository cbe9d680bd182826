import { once } from 'node:events'
import { createServer, type Server } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { migrateUp } from '@queue/core'
import { createTestDatabase, type TestDatabase } from '@queue/testing'
import { type FinishedRun, runMigrate, startMigrate } from './run-migrate.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(() => database.close())

let schemas = 0
/** Each test has its own new schema. */
function freshSchema(): string {
  schemas += 1
  return `fresh_${schemas}`
}

function run(args: readonly string[], schema: string): Promise<FinishedRun> {
  return runMigrate(args, { DATABASE_URL: database.url, QUEUE_SCHEMA: schema })
}

function resultOf({ stdout }: FinishedRun): Record<string, unknown> {
  return JSON.parse(stdout) as Record<string, unknown>
}

/** Migrates the schema without starting the program, for tests of later commands. */
async function migrated(schema: string): Promise<void> {
  await migrateUp({ connectionString: database.url, schema })
}

async function versionsIn(schema: string): Promise<number[]> {
  const { rows } = await database.pool.query<{ version: number }>(
    `SELECT version FROM "${schema}".migrations ORDER BY version`,
  )
  return rows.map((row) => row.version)
}

/** Records one more step, on which only code of the version `minCode` can run, by default only the newer one. */
async function pretendToBeNewer(schema: string, minCode?: number): Promise<number> {
  const { rows } = await database.pool.query<{ version: number }>(
    `INSERT INTO "${schema}".migrations (version, name, min_code)
     SELECT max(version) + 1, 'of a newer release', coalesce($1, max(version) + 1) FROM "${schema}".migrations
     RETURNING version`,
    [minCode],
  )
  return rows[0]?.version ?? 0
}

describe('a schema of a build that was not released', () => {
  test.each(['up', 'status', 'plan', 'doctor'])('%s says what to do about it', async (command) => {
    const schema = freshSchema()
    await migrated(schema)
    await database.pool.query(`UPDATE "${schema}".migrations SET checksum = 'of another text'`)
    const { code, stdout, stderr } = await run([command], schema)
    expect(code).toBe(command === 'status' ? 0 : command === 'doctor' ? 1 : 3)
    expect(`${stdout}${stderr}`).toMatch(/step 1 \(initial\) was applied with another text/)
    expect(`${stdout}${stderr}`).toContain(
      'drop the schema, or run queue-migrate down --to 0 --yes of that build',
    )
  })
})

describe('up', () => {
  test('is the default, applies every step in order, and a second run has nothing to do', async () => {
    const schema = freshSchema()
    const first = await run([], schema)
    expect(first).toMatchObject({ code: 0, stderr: '' })
    const versions = await versionsIn(schema)
    expect(versions).toEqual(versions.map((_version, index) => index + 1))
    expect(first.stdout.trimEnd().split('\n')).toEqual([
      ...versions.map((version) => expect.stringMatching(new RegExp(`^applied ${version} \\S+`))),
      `schema "${schema}" is at version ${versions.length}`,
    ])
    const second = await run(['up'], schema)
    expect(second).toMatchObject({
      code: 0,
      stdout: `schema "${schema}" is already at version ${versions.length}\n`,
    })
  })

  test('by eight concurrent runners applies each step once, and all of them succeed', async () => {
    const schema = freshSchema()
    const runs = await Promise.all(Array.from({ length: 8 }, () => run(['up', '--json'], schema)))
    const faults = runs.flatMap(({ code, stderr }) => [
      ...(code === 0 ? [] : [`exit code ${code}`]),
      // On a busy machine a runner says that it waits for another one.
      ...stderr.split('\n').filter((line) => line !== '' && !line.includes('another process is migrating')),
    ])
    expect(faults).toEqual([])
    const versions = await versionsIn(schema)
    const applied = runs.flatMap((result) => resultOf(result)['applied'] as { version: number }[])
    expect(applied.map((step) => step.version).sort((a, b) => a - b)).toEqual(versions)
    expect(runs.map((result) => resultOf(result)['version'])).toEqual(Array(8).fill(versions.length))
  })

  test('refuses a database that is newer than itself with exit code 3, and changes nothing', async () => {
    const schema = freshSchema()
    await migrated(schema)
    const newer = await pretendToBeNewer(schema)
    for (const command of [['up'], ['down', '--yes'], ['plan']]) {
      const refused = await run(command, schema)
      expect(refused).toMatchObject({ code: 3, stdout: '' })
      expect(refused.stderr).toMatch(
        new RegExp(`"level":"error".*at schema version ${newer}, newer than this code`),
      )
    }
    expect((await versionsIn(schema)).at(-1)).toBe(newer)
    expect(resultOf(await run(['status', '--json'], schema))).toMatchObject({
      state: 'newer',
      version: newer,
    })
  })
})

describe('an older release on a newer schema on which it can run', () => {
  test('has nothing to do, says so, and ends with 0: a rollback is not held up', async () => {
    const schema = freshSchema()
    await migrated(schema)
    const newer = await pretendToBeNewer(schema, 1)
    const versions = `at version ${newer}, newer than this release (${newer - 1}), which can run on it: nothing to do\n`
    expect(await run(['up'], schema)).toMatchObject({
      code: 0,
      stdout: `schema "${schema}" is already ${versions}`,
      stderr: '',
    })
    expect(resultOf(await run(['up', '--json'], schema))).toMatchObject({
      version: newer,
      code_version: newer - 1,
      applied: [],
    })
    expect(await run(['plan'], schema)).toMatchObject({
      code: 0,
      stdout: `-- schema "${schema}" is ${versions}`,
    })
    expect(resultOf(await run(['status', '--json'], schema))).toMatchObject({
      state: 'newer',
      compatible: true,
    })
    expect(await run(['down', '--yes'], schema)).toMatchObject({ code: 3 })
    expect((await versionsIn(schema)).at(-1)).toBe(newer)
  })
})

test('a step that fails is named with its statement, with exit code 1', async () => {
  const schema = freshSchema()
  await database.pool.query(`CREATE SCHEMA ${schema}; CREATE TABLE ${schema}.jobs ()`)
  const failed = await run(['up'], schema)
  expect(failed).toMatchObject({ code: 1, stdout: '' })
  const [line, ...more] = failed.stderr.trimEnd().split('\n')
  expect(more).toEqual([])
  expect(line).toMatch(
    /step 1 initial has failed: relation .*jobs.* already exists \(SQLSTATE 42P07\), in: CREATE TABLE .*No part of the step/,
  )
})

describe('down', () => {
  test('without --yes is refused with exit code 2, and changes nothing', async () => {
    const schema = freshSchema()
    await migrated(schema)
    const before = await versionsIn(schema)
    const refused = await run(['down'], schema)
    expect(refused).toMatchObject({ code: 2, stdout: '' })
    expect(refused.stderr).toContain('down --yes')
    expect(await versionsIn(schema)).toEqual(before)
  })

  test('reverts one step, with --to 0 all of them, and up applies them again', async () => {
    const schema = freshSchema()
    await migrated(schema)
    const all = await versionsIn(schema)
    expect((await run(['down', '--yes'], schema)).code).toBe(0)
    expect(await versionsIn(schema)).toEqual(all.slice(0, -1))
    const down = await run(['down', '--to', '0', '--yes', '--json'], schema)
    expect(resultOf(down)).toMatchObject({ schema, version: 0 })
    expect(await versionsIn(schema)).toEqual([])
    expect((await run(['down', '--yes'], schema)).stdout).toBe(`schema "${schema}" is already at version 0\n`)
    expect((await run(['up'], schema)).code).toBe(0)
    expect(await versionsIn(schema)).toEqual(all)
  })

  test('to a version above that of the database is refused with exit code 2', async () => {
    const schema = freshSchema()
    await migrated(schema)
    const refused = await run(['down', '--to', '999', '--yes'], schema)
    expect(refused.code).toBe(2)
    expect(refused.stderr).toContain('--to 999 is above')
  })
})

describe('status and plan', () => {
  test('show a missing schema as pending, print its SQL, and create nothing', async () => {
    const schema = freshSchema()
    const status = await run(['status'], schema)
    expect(status.code).toBe(0)
    expect(status.stdout).toMatch(
      new RegExp(
        `^schema "${schema}": version 0, .*: run queue-migrate up\nVERSION +NAME +APPLIED\n1 .*pending`,
      ),
    )
    const plan = await run(['plan'], schema)
    expect(plan.code).toBe(0)
    expect(plan.stdout).toMatch(/^-- 1 \S+ \(transactional\)$/m)
    expect(plan.stdout).toContain(`"${schema}".jobs`)
    const { rows } = await database.pool.query('SELECT to_regnamespace($1) AS found', [schema])
    expect(rows).toEqual([{ found: null }])
  })

  test('show a migrated schema as up to date, with nothing to do', async () => {
    const schema = freshSchema()
    await migrated(schema)
    const status = resultOf(await run(['status', '--json'], schema))
    expect(status).toMatchObject({ schema, state: 'up_to_date', version: status['code_version'] })
    expect(status['migrations']).toContainEqual({
      version: 1,
      name: expect.any(String),
      applied_at: expect.stringMatching(/^\d{4}-.*Z$/),
    })
    expect((await run(['plan'], schema)).stdout).toMatch(/^-- nothing to do/)
    expect(resultOf(await run(['plan', '--json'], schema))).toMatchObject({ steps: [], grants: [], sql: '' })
  })
})

describe('invalid configuration and an unavailable database', () => {
  test.each([
    ['DATABASE_URL', {}],
    ['DATABASE_URL', { DATABASE_URL: 'mysql://app:hunter2@db' }],
    ['QUEUE_SCHEMA', { DATABASE_URL: 'postgres://db', QUEUE_SCHEMA: 'No Such' }],
    ['MIGRATE_WAIT_MS', { DATABASE_URL: 'postgres://db', MIGRATE_WAIT_MS: 'long' }],
  ])('an invalid %s is named, with exit code 2', async (variable, env: Readonly<Record<string, string>>) => {
    const refused = await runMigrate(['up'], env)
    expect(refused).toMatchObject({ code: 2, stdout: '' })
    expect(refused.stderr).toMatch(new RegExp(`^queue-migrate: ${variable} .*; accepted: .*\n$`))
    expect(refused.stderr).not.toContain('hunter2')
  })

  test('--help names every variable and command, with exit code 0', async () => {
    const help = await runMigrate(['--help'], {})
    expect(help).toMatchObject({ code: 0, stderr: '' })
    for (const word of ['DATABASE_URL', 'MIGRATE_WAIT_MS', 'down', 'plan'])
      expect(help.stdout).toContain(word)
  })

  test('an unavailable database is waited for up to the limit, and then reported in one line, with exit code 1', async () => {
    const env = {
      DATABASE_URL: `postgres://app:hunter2@127.0.0.1:${await closedPort()}/queue`,
      MIGRATE_WAIT_MS: '600',
    }
    const unavailable = await runMigrate(['up'], env)
    expect(unavailable).toMatchObject({ code: 1, stdout: '' })
    expect(unavailable.stderr).toContain('the database cannot be reached: waiting')
    expect(unavailable.stderr.trimEnd().split('\n').at(-1)).toMatch(
      /"level":"error".*ECONNREFUSED.*gave up after \d+ ms"/,
    )
    expect(unavailable.stderr).not.toContain('hunter2')
  })

  test('a server that accepts the connection but does not answer is also given up', async () => {
    const silent = createServer()
    const port = await listenLocally(silent)
    const env = { DATABASE_URL: `postgres://app@127.0.0.1:${port}/queue`, MIGRATE_WAIT_MS: '500' }
    const unavailable = await runMigrate(['status'], env)
    silent.close()
    expect(unavailable).toMatchObject({ code: 1, stdout: '' })
    expect(unavailable.stderr).toMatch(/gave up after \d+ ms/)
  })

  test('a database that does not exist is reported in one line at once, with exit code 1', async () => {
    const url = new URL(database.url)
    url.pathname = '/no_such_database'
    const refused = await runMigrate(['up'], { DATABASE_URL: url.href })
    expect(refused.code).toBe(1)
    expect(refused.stderr.trimEnd().split('\n')).toEqual([
      expect.stringMatching(/"the database named in DATABASE_URL does not exist \(/),
    ])
  })

  test('a run that is stopped while it waits fails with exit code 1', async () => {
    const env = { DATABASE_URL: `postgres://app@127.0.0.1:${await closedPort()}/queue` }
    const waiting = startMigrate(['up'], env)
    await waiting.logged('waiting')
    waiting.process.kill('SIGTERM')
    const stopped = await waiting.finished
    expect(stopped.code).toBe(1)
    expect(stopped.stderr).toContain('stopped before the command finished: run it again')
  })

  test('a run that is stopped while it waits for a lock ends at once, and no step is applied in part', async () => {
    const schema = freshSchema()
    await migrated(schema)
    const before = await versionsIn(schema)
    const holder = await database.pool.connect()
    try {
      await holder.query(`BEGIN; LOCK TABLE "${schema}".jobs IN ACCESS SHARE MODE`)
      const env = { DATABASE_URL: database.url, QUEUE_SCHEMA: schema }
      const down = startMigrate(['down', '--yes', '--to', '0'], env)
      await down.logged('another session holds a lock')
      down.process.kill('SIGTERM')
      expect((await down.finished).code).toBe(1)
    } finally {
      await holder.query('ROLLBACK')
      holder.release()
    }
    expect(await versionsIn(schema)).toEqual(before)
  })
})

async function listenLocally(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  return typeof address === 'object' && address !== null ? address.port : 0
}

async function closedPort(): Promise<number> {
  const server = createServer()
  const port = await listenLocally(server)
  server.close()
  await once(server, 'close')
  return port
}
