import pg from 'pg'
import type { TestDatabase } from './create-test-database.ts'
import { type Invariant, invariants } from './invariants.ts'

export interface AssertInvariantsOptions {
  /** What a test breaks on purpose, for instance by deleting a dead letter. */
  readonly except?: readonly Invariant[]
}

/** Rows of each broken invariant that the failure shows. */
const shownRowsMax = 5

/**
 * Throws unless every job, attempt and dead letter of the database is consistent, with the broken invariants and
 * some of the rows. It reads one snapshot, so it may be called while workers run.
 */
export async function assertInvariants(
  database: Pick<TestDatabase, 'pool' | 'schema'>,
  options: AssertInvariantsOptions = {},
): Promise<void> {
  const schema = pg.escapeIdentifier(database.schema)
  const wanted = Object.entries(invariants).filter(([name]) => !options.except?.includes(name as Invariant))
  const client = await database.pool.connect()
  const faults: string[] = []
  try {
    await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY')
    for (const [name, text] of wanted) {
      const { rows } = await client.query(text.replaceAll('{schema}', schema))
      if (rows.length > 0) faults.push(describeFault(name, rows))
    }
    await client.query('COMMIT')
  } finally {
    // Not to be reused: after a failure it is still in its transaction.
    client.release(true)
  }
  if (faults.length > 0) throw new Error(faults.join('\n'))
}

function describeFault(name: string, rows: readonly unknown[]): string {
  const shown = rows.slice(0, shownRowsMax).map((row) => `\n  ${JSON.stringify(row)}`)
  const more = rows.length > shownRowsMax ? `\n  and ${rows.length - shownRowsMax} more` : ''
  return `broken: ${name}${shown.join('')}${more}`
}
