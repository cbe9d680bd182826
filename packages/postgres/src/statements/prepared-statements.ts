// The names and plans that prepared statements keep on a connection.
import { createHash } from 'node:crypto'
import type pg from 'pg'
import { queryWithin } from '../connections/timed-query.ts'

/** How many prepared statements have run on a connection since its plans were last discarded. */
const planUses = new WeakMap<pg.PoolClient, number>()
/**
 * After this many statements the plans are discarded. PostgreSQL keeps the plan of a prepared statement until the table's
 * statistics change, and a plan made for a nearly empty table may scan all of it. On the caller's own connections, only this
 * replaces such a plan before the next autovacuum.
 */
const planUsesMax = 20

/** Discards the plans of a connection after every `planUsesMax` statements. */
export async function forgetOldPlans(client: pg.PoolClient, queryTimeoutMs: number): Promise<void> {
  const uses = planUses.get(client) ?? 0
  planUses.set(client, uses < planUsesMax ? uses + 1 : 1)
  if (uses < planUsesMax) return
  await queryWithin(client, { text: 'DISCARD PLANS' }, queryTimeoutMs)
}

/** The number of names is bounded, because each connection keeps a plan for each name, and callers determine the texts. */
const namesMax = 32

/** The name of a statement by its text; undefined if there are too many names, so that it is not prepared. */
export type StatementNames = (text: string) => string | undefined

/**
 * The names under which the statements of one session are prepared. A text has the same name in all sessions that prepare on the
 * same connection.
 */
export function createStatementNames(): StatementNames {
  const names = new Map<string, string>()
  return (text) => {
    const known = names.get(text)
    if (known !== undefined || names.size >= namesMax) return known
    const name = `queue_${createHash('sha256').update(text).digest('hex').slice(0, 32)}`
    names.set(text, name)
    return name
  }
}

/** The record of node-postgres of what is prepared on a connection, by name; its types leave it out. */
interface Preparing {
  readonly connection?: { readonly parsedStatements?: Record<string, string> }
}

/**
 * Makes node-postgres prepare the statement of this name again: another user of the pool may have sent `DISCARD ALL` or
 * `DEALLOCATE ALL`, which node-postgres does not notice.
 */
export function prepareAnew(client: pg.ClientBase, name: string): void {
  const { connection } = client as unknown as Preparing
  if (connection?.parsedStatements !== undefined) delete connection.parsedStatements[name]
}
