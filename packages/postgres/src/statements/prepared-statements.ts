// What statements that stay prepared leave behind on a connection: their names, and plans.
import { createHash } from 'node:crypto'
import type pg from 'pg'
import { queryWithin } from '../connections/timed-query.ts'

/** How often prepared statements have been run on a connection since their plans were last made. */
const planUses = new WeakMap<pg.PoolClient, number>()
/**
 * PostgreSQL keeps the plan of a prepared statement until the table's statistics change. One that was made while the
 * table was next to empty may read it as a whole, and on a connection of the caller's nothing but this would end that
 * before autovacuum comes by.
 */
const planUsesMax = 20

/** Lets go of the plans that a connection keeps once they have served `planUsesMax` statements. */
export async function forgetOldPlans(client: pg.PoolClient, queryTimeoutMs: number): Promise<void> {
  const uses = planUses.get(client) ?? 0
  planUses.set(client, uses < planUsesMax ? uses + 1 : 1)
  if (uses < planUsesMax) return
  await queryWithin(client, { text: 'DISCARD PLANS' }, queryTimeoutMs)
}

/** Each connection keeps a plan for each name, and who chooses the columns of an insert chooses its text. */
const namesMax = 32

/** The name of a statement by its text; undefined when there are too many to have it prepared. */
export type StatementNames = (text: string) => string | undefined

/**
 * The names under which the statements of one session are prepared: one name for one text, also where others prepare on
 * the same connection.
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

/** Where node-postgres keeps in mind what is prepared on a connection, by name; its types leave it out. */
interface Preparing {
  readonly connection?: { readonly parsedStatements?: Record<string, string> }
}

/**
 * The next statement of this name is prepared on the connection again: whoever shares the pool may have sent
 * `DISCARD ALL` or `DEALLOCATE ALL`, which node-postgres does not notice.
 */
export function prepareAnew(client: pg.ClientBase, name: string): void {
  const { connection } = client as unknown as Preparing
  if (connection?.parsedStatements !== undefined) delete connection.parsedStatements[name]
}
