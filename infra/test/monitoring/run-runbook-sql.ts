import type { TestDatabase } from '@queue/testing'
import pg from 'pg'
import type { RunbookRole } from './runbooks.ts'

/** Runs the statements of a runbook as the role that they name, and resolves with their rows. Changes are rolled back. */
export async function runRunbookSql(
  database: TestDatabase,
  role: RunbookRole,
  text: string,
): Promise<unknown[]> {
  const urls: Record<RunbookRole, string> = {
    administrator: database.directUrl,
    readonly: database.urlAs('readonly'),
    // The outbox is set up with the same roles.
    'outbox readonly': database.urlAs('readonly'),
    'outbox relay': database.urlAs('worker'),
    'outbox publisher': database.urlAs('api'),
  }
  const client = new pg.Client({ connectionString: urls[role] })
  client.on('error', () => undefined)
  await client.connect()
  try {
    await client.query('BEGIN')
    await client.query(`SET LOCAL statement_timeout = '10s'`)
    const results = [await client.query<object>(text)].flat()
    return results.flatMap(({ rows }) => rows)
  } finally {
    await client.end()
  }
}
