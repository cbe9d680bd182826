import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { createOutbox, migrateOutboxDown } from '@queue/outbox'
import { createTestDatabase, type TestDatabase } from '@queue/testing'
import { type FinishedRun, runMigrate } from './run-migrate.ts'

/** The roles that every test database has, used here as those of the outbox. */
const roles = {
  OUTBOX_ROLE_PUBLISHER: 'queue_test_api',
  OUTBOX_ROLE_RELAY: 'queue_test_worker',
  OUTBOX_ROLE_READONLY: 'queue_test_readonly',
}
let queue: TestDatabase
let service: TestDatabase
beforeAll(async () => {
  queue = await createTestDatabase()
  service = await createTestDatabase()
})
afterAll(async () => {
  await service.close()
  await queue.close()
})

function run(args: readonly string[], env: Readonly<Record<string, string>>): Promise<FinishedRun> {
  return runMigrate(['outbox', ...args], {
    DATABASE_URL: queue.url,
    OUTBOX_DATABASE_URL: service.url,
    ...env,
  })
}

async function schemasOf(database: TestDatabase, name: string): Promise<number> {
  const { rowCount } = await database.pool.query('SELECT FROM pg_namespace WHERE nspname = $1', [name])
  return rowCount ?? 0
}

test('outbox up creates the outbox in the database of the service once, and outbox down removes it', async () => {
  const schema = { OUTBOX_SCHEMA: 'made' }
  expect((await run(['status'], schema)).stdout).toMatch(
    /^schema "made": version 0, this release \d+: run queue-migrate outbox up\n/,
  )
  const first = await run(['up'], schema)
  expect(first).toMatchObject({ code: 0, stderr: '' })
  expect(first.stdout).toMatch(/^applied 1 initial\nschema "made" is at version 1\n$/)
  expect((await run(['up'], schema)).stdout).toBe('schema "made" is already at version 1\n')
  const outbox = createOutbox({ pool: service.pool, schema: 'made' })
  expect(await outbox.checkSchema()).toMatchObject({ status: 'compatible' })
  expect(await schemasOf(queue, 'made')).toBe(0)

  expect(JSON.parse((await run(['status', '--json'], schema)).stdout)).toMatchObject({
    schema: 'made',
    state: 'up_to_date',
    version: 1,
    migrations: [{ version: 1, name: 'initial', applied_at: expect.any(String) }],
  })
  expect((await run(['down', '--yes'], schema)).stdout).toContain('schema "made" is at version 0')
  expect(await outbox.checkSchema()).toMatchObject({ status: 'missing' })
})

test('without OUTBOX_DATABASE_URL the database of DATABASE_URL is used', async () => {
  const env = { DATABASE_URL: service.url, OUTBOX_SCHEMA: 'beside' }
  expect(await runMigrate(['outbox', 'up'], env)).toMatchObject({ code: 0 })
  expect(await schemasOf(service, 'beside')).toBe(1)
})

test('outbox plan prints the SQL that creates the same outbox, and creates nothing', async () => {
  const schema = { OUTBOX_SCHEMA: 'planned' }
  const plan = await run(['plan'], schema)
  expect(plan).toMatchObject({ code: 0, stderr: '' })
  expect(await schemasOf(service, 'planned')).toBe(0)
  await service.pool.query(plan.stdout)
  expect((await run(['plan'], schema)).stdout).toBe('-- nothing to do: schema "planned" is at version 1\n')
})

test('an outbox that is newer than this release is refused with exit code 3', async () => {
  const schema = { OUTBOX_SCHEMA: 'newer' }
  await run(['up'], schema)
  await service.pool.query(
    "INSERT INTO newer.outbox_migrations (version, name, min_code) VALUES (99, 'of a newer release', 99)",
  )
  const refused = await run(['up'], schema)
  expect(refused).toMatchObject({ code: 3, stdout: '' })
  expect(refused.stderr).toContain('at schema version 99, newer than this code')
})

describe('outbox roles', () => {
  const schema = { OUTBOX_SCHEMA: 'with_roles', ...roles }

  test('grants what a publisher and a relay need, and a second run has nothing to do', async () => {
    const tooEarly = await run(['roles'], schema)
    expect(tooEarly).toMatchObject({ code: 3, stdout: '' })
    expect(tooEarly.stderr).toContain('run queue-migrate outbox up first')
    await run(['up'], schema)
    const plan = await run(['roles', '--plan'], schema)
    expect(plan.stdout).toMatch(/^BEGIN;\n(.*;\n)+COMMIT;\n$/)
    const applied = await run(['roles'], schema)
    expect(applied).toMatchObject({ code: 0, stderr: '' })
    expect(applied.stdout.trimEnd().split('\n').at(-1)).toBe(
      'the roles of schema "with_roles" are set up: publisher "queue_test_api", relay "queue_test_worker", readonly "queue_test_readonly"',
    )
    expect(JSON.parse((await run(['roles', '--json'], schema)).stdout)).toMatchObject({ statements: [] })

    const relay = createOutbox({ connectionString: service.urlAs('worker'), schema: 'with_roles' })
    expect(await relay.stats()).toEqual({ pending: 0, oldestSeconds: 0 })
    await relay.close()
  })

  test('keep their privileges on the tables that up creates', async () => {
    await migrateOutboxDown({ connectionString: service.url, schema: 'with_roles', to: 0 })
    expect((await run(['up'], schema)).code).toBe(0)
    expect((await run(['roles', '--plan'], schema)).stdout).toMatch(/^-- nothing to do: publisher/)
  })
})

test('a user without access to the outbox gets an error with its name and the command that grants access', async () => {
  await run(['up'], { OUTBOX_SCHEMA: 'shut' })
  const refused = await run(['status'], { OUTBOX_SCHEMA: 'shut', OUTBOX_DATABASE_URL: service.urlAs('api') })
  expect(refused).toMatchObject({ code: 1, stdout: '' })
  expect(refused.stderr).toMatch(
    /the user in OUTBOX_DATABASE_URL lacks .* \(queue-migrate outbox roles grants it\)/,
  )
})

test('an invalid role or URL is named, with exit code 2', async () => {
  for (const [variable, value] of [
    ['OUTBOX_ROLE_RELAY', 'pg_mine'],
    ['OUTBOX_DATABASE_URL', 'mysql://app:hunter2@db'],
  ] as const) {
    const refused = await run(['up'], { [variable]: value })
    expect(refused).toMatchObject({ code: 2, stdout: '' })
    expect(refused.stderr).toMatch(new RegExp(`^queue-migrate: ${variable} .*; accepted: .*\n$`))
    expect(refused.stderr).not.toContain('hunter2')
  }
})
