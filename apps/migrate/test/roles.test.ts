import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { createQueue, migrateDown, migrateUp, sendEmail } from '@queue/core'
import { createTestDatabase, type TestDatabase } from '@queue/testing'
import { scramVerifier } from '../src/scram-verifier.ts'
import { type FinishedRun, runMigrate } from './run-migrate.ts'

const suffix = `${process.pid}_${Date.now()}`
const password = 'correct horse, battery'
const names = {
  QUEUE_ROLE_API: `queue_test_api_${suffix}`,
  QUEUE_ROLE_WORKER: `queue_test_worker_${suffix}`,
  QUEUE_ROLE_READONLY: `queue_test_readonly_${suffix}`,
  QUEUE_ROLE_ENQUEUE: `queue_test_enqueue_${suffix}`,
  QUEUE_ROLE_FUNCTIONS: `queue_test_functions_${suffix}`,
  QUEUE_ROLE_API_TENANT: `queue_test_api_tenant_${suffix}`,
}

let database: TestDatabase
beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(async () => {
  for (const name of Object.values(names)) {
    const { rowCount } = await database.pool.query('SELECT FROM pg_roles WHERE rolname = $1', [name])
    // A trigger needs its function, so the functions go to another owner first.
    if (rowCount === 1)
      await database.pool.query(
        `REASSIGN OWNED BY ${name} TO CURRENT_USER; DROP OWNED BY ${name}; DROP ROLE ${name}`,
      )
  }
  await database.close()
})

function run(args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<FinishedRun> {
  return runMigrate(args, { DATABASE_URL: database.url, ...names, ...env })
}

test('a service can log in with its role without any SQL by hand', async () => {
  const schema = { QUEUE_SCHEMA: 'from_scratch' }
  const tooEarly = await run(['roles'], schema)
  expect(tooEarly).toMatchObject({ code: 3, stdout: '' })
  expect(tooEarly.stderr).toContain('run queue-migrate up first')

  expect(await run(['up'], schema)).toMatchObject({ code: 0 })
  const passwords = { ...schema, QUEUE_ROLE_API_PASSWORD: password }
  const setUp = await run(['roles'], passwords)
  expect(setUp).toMatchObject({ code: 0, stderr: '' })
  expect(setUp.stdout).toContain(`CREATE ROLE "${names.QUEUE_ROLE_API}" LOGIN PASSWORD '…';`)
  expect(setUp.stdout).toContain(`CREATE ROLE "${names.QUEUE_ROLE_WORKER}" NOLOGIN;`)
  expect(setUp.stdout).not.toMatch(/SCRAM|correct horse/)

  const url = new URL(database.url)
  url.username = names.QUEUE_ROLE_API
  url.password = encodeURIComponent(password)
  const queue = createQueue({ connectionString: url.href, schema: 'from_scratch' })
  const { job } = await queue.enqueue(sendEmail, { to: 'ada@example.com', subject: 'Hello', body: 'there' })
  expect(await queue.cancel(job.id)).toMatchObject({ outcome: 'cancelled' })
  await queue.close()

  const secondRun = await run(['roles', '--json'], schema)
  expect(JSON.parse(secondRun.stdout)).toEqual({
    schema: 'from_scratch',
    goal: 'set_up',
    roles: {
      api: names.QUEUE_ROLE_API,
      worker: names.QUEUE_ROLE_WORKER,
      readonly: names.QUEUE_ROLE_READONLY,
      enqueue: names.QUEUE_ROLE_ENQUEUE,
      functions: names.QUEUE_ROLE_FUNCTIONS,
      api_tenant: names.QUEUE_ROLE_API_TENANT,
    },
    statements: [],
    administrator: [`GRANT pg_read_all_stats TO "${names.QUEUE_ROLE_API}", "${names.QUEUE_ROLE_READONLY}";`],
  })
})

test('--plan prints the SQL and changes nothing; --revoke needs --yes, and revokes everything', async () => {
  const schema = { QUEUE_SCHEMA: 'planned' }
  await migrateUp({ connectionString: database.url, schema: 'planned' })
  const plan = await run(['roles', '--plan'], schema)
  expect(plan).toMatchObject({ code: 0, stderr: '' })
  expect(plan.stdout).toMatch(/^BEGIN;\n(.*;\n)+COMMIT;\n-- for an administrator, once.*;\n$/)
  const applied = await run(['roles'], schema)
  const statements = plan.stdout.split('\n').filter((line) => !['BEGIN;', 'COMMIT;'].includes(line))
  expect(applied.stdout.split('\n').slice(0, -2)).toEqual(statements.slice(0, -1))
  expect((await run(['roles', '--plan'], schema)).stdout).toMatch(/^-- nothing to do: /)

  expect(await run(['roles', '--revoke'], schema)).toMatchObject({ code: 2, stdout: '' })
  const revoked = await run(['roles', '--revoke', '--yes'], schema)
  expect(revoked.stdout).toContain(`REVOKE USAGE ON SCHEMA "planned" FROM "${names.QUEUE_ROLE_API}"`)
  const shut = `SELECT has_schema_privilege('${names.QUEUE_ROLE_API}', 'planned', 'USAGE') AS may`
  expect((await database.pool.query(shut)).rows).toEqual([{ may: false }])
})

test('up grants existing roles what they need on the tables that it creates', async () => {
  const schema = { QUEUE_SCHEMA: 'kept' }
  const connection = { connectionString: database.url, schema: 'kept' }
  await migrateUp(connection)
  expect(await run(['roles'], schema)).toMatchObject({ code: 0 })
  await migrateDown({ ...connection, to: 0 })
  const plan = await run(['plan'], schema)
  expect(plan.stdout).toContain(`TO "${names.QUEUE_ROLE_WORKER}"`)
  expect(await run(['up'], schema)).toMatchObject({ code: 0 })
  expect((await run(['roles', '--plan'], schema)).stdout).toMatch(/^-- nothing to do: /)
})

describe('a user that may not', () => {
  test('create roles gets one line with the statements for an administrator, with exit code 1', async () => {
    const url = new URL(database.url)
    url.searchParams.set('options', `-c role=${names.QUEUE_ROLE_READONLY}`)
    const env = { QUEUE_SCHEMA: 'kept', QUEUE_ROLE_API: `queue_test_other_${suffix}`, DATABASE_URL: url.href }
    const refused = await run(['roles'], env)
    expect(refused).toMatchObject({ code: 1, stdout: '' })
    expect(refused.stderr.trimEnd().split('\n')).toEqual([
      expect.stringMatching(/may not create roles.*Let an administrator run: CREATE ROLE/),
    ])
  })

  test.each([
    ['QUEUE_ROLE_API', 'pg_mine'],
    ['QUEUE_ROLE_WORKER_PASSWORD', 'shorter-than-16'],
  ])('have %s %s gets an error without the password, with exit code 2', async (variable, value) => {
    const refused = await run(['roles'], { [variable]: value })
    expect(refused).toMatchObject({ code: 2, stdout: '' })
    expect(refused.stderr).toMatch(new RegExp(`^queue-migrate: ${variable} .*; accepted: .*\n$`))
    expect(refused.stderr).not.toContain('short')
  })
})

test('a verifier is the same as that of PostgreSQL for the same password and salt', async () => {
  const client = await database.pool.connect()
  try {
    await client.query(`BEGIN; SET LOCAL password_encryption = 'scram-sha-256';
      SELECT set_config(name, '4096', true) FROM pg_settings WHERE name = 'scram_iterations'`)
    await client.query(`CREATE ROLE queue_test_scram_${suffix} PASSWORD '${password}'`)
    const { rows } = await client.query<{ rolpassword: string }>(
      `SELECT rolpassword FROM pg_authid WHERE rolname = 'queue_test_scram_${suffix}'`,
    )
    const [, salt = ''] = /:([^$]+)\$/.exec(rows[0]?.rolpassword ?? '') ?? []
    expect(scramVerifier(password, Buffer.from(salt, 'base64'))).toBe(rows[0]?.rolpassword)
  } finally {
    await client.query('ROLLBACK')
    client.release()
  }
})
