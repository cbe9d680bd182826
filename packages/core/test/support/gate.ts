import { sql } from 'kysely'
import type pg from 'pg'
import { compiler } from '@queue/postgres'
import type { QueueDatabase } from '../../src/database/connect.ts'

const gateLock = 4_711

/** Closes the gate at which `gatedBefore` waits; the returned function opens it. */
export async function closeGate(client: pg.Client): Promise<() => Promise<void>> {
  await client.query('SELECT pg_advisory_lock($1)', [gateLock])
  return async () => void (await client.query('SELECT pg_advisory_unlock($1)', [gateLock]))
}

/**
 * A database with a gate in each statement, before the common table expression `name`: the statement has its snapshot,
 * and waits there until the gate opens. So a test can hold open a race that is a few microseconds wide.
 */
export function gatedBefore(database: QueueDatabase, name: string): QueueDatabase {
  const head = `${name} AS MATERIALIZED (`
  return {
    ...database,
    run: <Row>(statement: Parameters<QueueDatabase['run']>[0]) => {
      const { sql: text, parameters } = statement.compile(compiler)
      if (!text.includes(head)) throw new Error(`the statement has no ${head}`)
      const gated = text
        .replace(head, `gate AS MATERIALIZED (SELECT pg_advisory_xact_lock(${gateLock})), ${head}`)
        .replace(new RegExp(`(${escape(head)}\\s*SELECT[^;]*?\\bFROM )`), '$1gate CROSS JOIN ')
      return database.run<Row>(withParameters(gated, parameters))
    },
  }
}

function escape(text: string): string {
  return text.replaceAll(/[()]/g, '\\$&')
}

/** Makes a statement of Kysely from compiled text: each `$n` becomes its parameter again. */
function withParameters<Row>(text: string, parameters: readonly unknown[]) {
  const parts = text.split(/\$(\d+)/)
  const literals = parts.filter((_, index) => index % 2 === 0)
  const values = parts.filter((_, index) => index % 2 === 1).map((n) => parameters[Number(n) - 1])
  const template = Object.assign([...literals], { raw: literals })
  return sql<Row>(template, ...values)
}
