import pg from 'pg'
import type { TestDatabase } from './create-test-database.ts'
import { type Invariant, invariants } from './invariants.ts'

export interface InvariantOptions {
  /** What a test breaks on purpose, for instance by deleting a dead letter. */
  readonly except?: readonly Invariant[]
}

/** Rows of each broken invariant that its description shows. */
const shownRowsMax = 5

/**
 * What is inconsistent among the jobs, attempts and dead letters of the database: each broken invariant with some of
 * the rows that break it. It reads one snapshot, so it may be called while workers run.
 */
export async function findBrokenInvariants(
  database: Pick<TestDatabase, 'pool' | 'schema'>,
  options: InvariantOptions = {},
): Promise<string[]> {
  const schema = pg.escapeIdentifier(database.schema)
  const wanted = Object.entries(invariants).filter(([name]) => !options.except?.includes(name as Invariant))
  const client = await database.pool.connect()
  const broken: string[] = []
  try {
    await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY')
    for (const [name, text] of wanted) {
      const { rows } = await client.query(text.replaceAll('{schema}', schema))
      if (rows.length > 0) broken.push(describe(name, rows))
    }
    await client.query('COMMIT')
  } finally {
    // Not to be reused: after a failure it is still in its transaction.
    client.release(true)
  }
  return broken
}

/** Throws unless `findBrokenInvariants` finds nothing; the message is what it has found. */
export async function assertInvariants(
  database: Pick<TestDatabase, 'pool' | 'schema'>,
  options: InvariantOptions = {},
): Promise<void> {
  const broken = await findBrokenInvariants(database, options)
  if (broken.length > 0) throw new Error(broken.join('\n'))
}

function describe(name: string, rows: readonly unknown[]): string {
  const shown = rows.slice(0, shownRowsMax).map((row) => `\n  ${JSON.stringify(row)}`)
  const more = rows.length > shownRowsMax ? `\n  and ${rows.length - shownRowsMax} more` : ''
  return `broken: ${name}${shown.join('')}${more}`
}
