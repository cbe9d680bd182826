import { databaseRule } from './database-rule.ts'
import { endedAttempts } from '@queue/dev-postgres'
import { assertArguments, object } from '@queue/loop/arguments'
import pg from 'pg'
import type { TestDatabase } from './create-test-database.ts'
import { type Invariant, invariants } from './invariants.ts'

export interface InvariantOptions {
  /** Invariants that the test breaks on purpose, for instance by deleting a dead letter. */
  readonly except?: readonly Invariant[]
}

/** The description of a broken invariant shows at most this many rows. */
const shownRowsMax = 5

/**
 * Checks the consistency of the queue's tables. Resolves with a description of each broken invariant and some of the rows
 * that break it. It reads one snapshot, so it can be called while workers run.
 */
export async function findBrokenInvariants(
  database: Pick<TestDatabase, 'pool' | 'schema'>,
  options: InvariantOptions = {},
): Promise<string[]> {
  assertArguments('findBrokenInvariants', { database: databaseRule, options: object }, [database, options])
  const schema = pg.escapeIdentifier(database.schema)
  const checkedInvariants = Object.entries(invariants).filter(
    ([name]) => !options.except?.includes(name as Invariant),
  )
  const client = await database.pool.connect()
  const broken: string[] = []
  try {
    await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY')
    for (const [name, text] of checkedInvariants) {
      const { rows } = await client.query(
        text.replaceAll('{schema}', schema).replaceAll('{attempts}', endedAttempts(schema)),
      )
      if (rows.length > 0) broken.push(describe(name, rows))
    }
    await client.query('COMMIT')
  } finally {
    // Destroys the connection: after a failure it is still in a transaction.
    client.release(true)
  }
  return broken
}

/** Throws if `findBrokenInvariants` finds a broken invariant. The message has all descriptions. */
export async function assertInvariants(
  database: Pick<TestDatabase, 'pool' | 'schema'>,
  options: InvariantOptions = {},
): Promise<void> {
  const broken = await findBrokenInvariants(database, options)
  if (broken.length > 0) throw new Error(broken.join('\n'))
}

function describe(name: string, rows: readonly unknown[]): string {
  const rowLines = rows.slice(0, shownRowsMax).map((row) => `\n  ${JSON.stringify(row)}`)
  const more = rows.length > shownRowsMax ? `\n  and ${rows.length - shownRowsMax} more` : ''
  return `broken: ${name}${rowLines.join('')}${more}`
}
