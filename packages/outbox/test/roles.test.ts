import { readFile } from 'node:fs/promises'
import { afterAll, beforeEach, describe, expect, test } from '@jest/globals'
import pg from 'pg'
import { outboxAccess, type OutboxProcess, outboxProcesses } from '../src/access/outbox-access.ts'
import { applyOutboxRoles, migrateOutbox, migrateOutboxDown, outboxRolesPlan } from '../src/index.ts'
import { openWorld, roles } from './support/world.ts'

const world = await openWorld()
beforeEach(() => world.reset())
afterAll(() => world.close())

const options = { connectionString: world.database.directUrl, roles }

async function as<Result>(
  process: OutboxProcess,
  work: (client: pg.Client) => Promise<Result>,
): Promise<Result> {
  const client = new pg.Client({ connectionString: world.urlAs(process) })
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}

const tablePrivileges = ['SELECT', 'INSERT', 'UPDATE', 'DELETE', 'TRUNCATE', 'REFERENCES', 'TRIGGER']

/** What a role can do with a table in effect: each privilege, or the columns on which it holds. */
async function effectOn(role: string, table: string): Promise<string> {
  const privileges: string[] = []
  for (const privilege of tablePrivileges) {
    const [row] = await world.sql<{ whole: boolean; columns: string[] }>(
      `SELECT has_table_privilege($1, $2, $3) AS whole,
              ARRAY(SELECT attname::text FROM pg_attribute
                     WHERE attrelid = $2::regclass AND attnum > 0 AND NOT attisdropped
                       AND $3 NOT IN ('DELETE', 'TRUNCATE', 'TRIGGER')
                       AND has_column_privilege($1, attrelid, attnum, replace($3, 'DELETE', 'SELECT'))
                     ORDER BY attname) AS columns`,
      [role, `outbox.${table}`, privilege],
    )
    if (row?.whole === true) privileges.push(privilege)
    else if (row !== undefined && row.columns.length > 0)
      privileges.push(`${privilege} (${row.columns.join(', ')})`)
  }
  return privileges.join(', ')
}

test('the matrix is what docs/roles.md says: each role, each table, each privilege', async () => {
  const page = await readFile(new URL('../../../docs/roles.md', import.meta.url), 'utf8')
  const promised = [...page.matchAll(/^\| `(outbox_\w+)` \| (.*) \| (.*) \| (.*) \|$/gm)].map((row) =>
    row.slice(1),
  )
  const found = await Promise.all(
    Object.keys(outboxAccess.matrix).map(async (table) => [
      table,
      ...(await Promise.all(outboxProcesses.map((process) => effectOn(roles[process], table)))),
    ]),
  )
  expect(found).toEqual(promised)
})

test('the matrix contains every object of the schema', async () => {
  const found = await world.sql<{ name: string }>(
    `SELECT relname::text AS name FROM pg_class
      WHERE relnamespace = 'outbox'::regnamespace AND relkind IN ('r', 'p', 'v', 'm', 'f', 'S')
     UNION ALL SELECT proname::text FROM pg_proc WHERE pronamespace = 'outbox'::regnamespace`,
  )
  const known = [...Object.keys(outboxAccess.matrix), ...Object.values(outboxAccess.others).flat()]
  expect(found.map(({ name }) => name).sort()).toEqual(known.sort())
})

describe('is refused', () => {
  const messages = 'outbox.outbox_messages'
  const deadLetters = 'outbox.outbox_dead_letters'
  const refused: Record<OutboxProcess, string[]> = {
    publisher: [
      `UPDATE ${messages} SET delivered_at = now()`,
      `UPDATE ${messages} SET payload = '{}'`,
      `DELETE FROM ${messages}`,
      `INSERT INTO ${messages} (id, topic, payload, delivered_at) VALUES (gen_random_uuid(), 't', '{}', now())`,
      `UPDATE ${deadLetters} SET payload = '{}'`,
    ],
    relay: [
      `INSERT INTO ${messages} (id, topic, payload) VALUES (gen_random_uuid(), 't', '{}')`,
      `UPDATE ${messages} SET payload = '{}'`,
      `UPDATE ${messages} SET topic = 'other'`,
      `UPDATE ${messages} SET sequence = 0`,
      `DELETE FROM ${deadLetters}`,
      `UPDATE ${deadLetters} SET payload = '{}'`,
    ],
    readonly: [
      `INSERT INTO ${messages} (id, topic, payload) VALUES (gen_random_uuid(), 't', '{}')`,
      `UPDATE ${messages} SET last_error = NULL`,
      `DELETE FROM ${messages}`,
      `DELETE FROM ${deadLetters}`,
    ],
  }
  const cases = outboxProcesses.flatMap((process) =>
    [
      ...refused[process],
      `TRUNCATE ${messages}`,
      'UPDATE outbox.outbox_migrations SET version = 0',
      'CREATE TABLE outbox.mine (id int)',
      `SELECT setval('outbox.outbox_messages_sequence_seq', 1)`,
    ].map((statement) => ({ process, statement })),
  )
  test.each(cases)('$process: $statement', async ({ process, statement }) => {
    await as(process, async (client) => {
      await expect(client.query(statement)).rejects.toMatchObject({ code: '42501' })
    })
  })
})

test('a second run has nothing to do, an excess grant is revoked, and --revoke revokes everything', async () => {
  expect((await outboxRolesPlan(options, 'set_up')).statements).toEqual([])
  await world.sql(`GRANT DELETE ON outbox.outbox_messages TO ${roles.publisher}`)
  expect((await applyOutboxRoles(options, 'set_up')).statements).toEqual([
    `REVOKE DELETE ON TABLE "outbox".outbox_messages FROM "${roles.publisher}";`,
  ])
  await applyOutboxRoles(options, 'revoked')
  await as('relay', async (client) => {
    await expect(client.query('SELECT FROM outbox.outbox_messages')).rejects.toMatchObject({ code: '42501' })
  })
  await applyOutboxRoles(options, 'set_up')
  await as('relay', (client) => client.query('SELECT FROM outbox.outbox_messages'))
})

test('a step grants existing roles what they need on its tables', async () => {
  await migrateOutboxDown({ ...options, to: 0 })
  await migrateOutbox(options)
  expect((await outboxRolesPlan(options, 'set_up')).statements).toEqual([])
})

test('a missing schema is refused, with the command that creates it', async () => {
  await expect(applyOutboxRoles({ ...options, schema: 'nowhere' }, 'set_up')).rejects.toMatchObject({
    code: 'schema_mismatch',
    message: expect.stringContaining('run queue-migrate outbox up first'),
  })
})
