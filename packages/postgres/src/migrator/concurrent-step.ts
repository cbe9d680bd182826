import type pg from 'pg'
import { isContention, isUnavailable, sqlState, sqlStateOf } from '../pg-error.ts'
import { QueueError } from '../errors.ts'
import { noteApplied, quoted } from './migration-history.ts'
import { giveWay, keepVacuumAway } from './locked-transaction.ts'
import type { ConcurrentIndex, ConcurrentMigration, StepStatement, TableUse } from './migration.ts'
import { failureOf, lockedOut, lockTriesMax, named, runStatement } from './statement-failure.ts'
import { type Outcome, type StepContext, stepTransaction } from './step.ts'
import { runStatements } from './transactional-step.ts'

/**
 * Builds an index while others write, and records the step when the index exists and is valid.
 *
 * CREATE INDEX CONCURRENTLY has its own transactions, so the runner cannot hold a lock during it. The statement locks its table
 * in SHARE UPDATE EXCLUSIVE mode until its end, and this lock conflicts with itself. So a session that has this lock knows that
 * no other session is building an index: an invalid index is left from an interrupted build, and a valid index is a finished
 * build that has not been recorded yet. If two runners build at the same time, the second waits for the first, and then finds
 * that the name exists.
 */
export async function applyConcurrent(context: StepContext, step: ConcurrentMigration): Promise<Outcome> {
  for (let tries = 1; ; tries += 1) {
    const outcome = await recordOrClear(context, step)
    if (outcome !== 'absent') return outcome
    const lockError = await build(context, step)
    if (lockError === undefined) continue
    if (tries >= lockTriesMax) throw lockedOut(named(step), lockError)
    context.onProgress({ type: 'waiting', version: step.version, tries, waitsFor: 'lock' })
    await giveWay(context)
  }
}

/** Records the step if its index exists, and drops the index of an interrupted build. */
function recordOrClear(context: StepContext, step: ConcurrentMigration): Promise<Outcome | 'absent'> {
  return stepTransaction<Outcome | 'absent'>(context, step, {
    from: step.version - 1,
    body: async () => {
      await keepVacuumAway(context, [buildUse(step.index)])
      const state = await readIndex(context, step.index)
      if (state === 'absent') return 'absent'
      if (state === 'invalid') {
        await runStatements(context, dropIndex(context.schema, step.index))
        return 'absent'
      }
      if (state === 'other') throw nameExists(step)
      await context.client.query(noteApplied(context, step))
      return 'done'
    },
  })
}

/** The state of an index. `other`: an object with its name exists that differs from the index of the step. */
type IndexState = 'absent' | 'invalid' | 'valid' | 'other'

export async function readIndex(
  { client, schema }: StepContext,
  index: ConcurrentIndex,
): Promise<IndexState> {
  const { rows } = await client.query<{ schema: string; valid: boolean | null; definition: string | null }>(
    `SELECT quote_ident($1::text) AS schema, i.indisvalid AND i.indisready AND i.indislive AS valid,
            pg_get_indexdef(i.indexrelid) AS definition
       FROM pg_class AS c LEFT JOIN pg_index AS i ON i.indexrelid = c.oid
      WHERE c.relnamespace = to_regnamespace($2) AND c.relname = $3`,
    [schema, quoted(schema), index.name],
  )
  const [row] = rows
  if (row === undefined) return 'absent'
  if (row.valid === false) return 'invalid'
  return row.definition === definitionOf(row.schema, index) ? 'valid' : 'other'
}

/** The definition of the index as `pg_get_indexdef` returns it. `schema` is quoted in the same way. */
function definitionOf(schema: string, { name, table, unique, definition }: ConcurrentIndex): string {
  return `CREATE ${unique ? 'UNIQUE ' : ''}INDEX ${name} ON ${schema}.${table} ${definition(schema)}`
}

/** The statement that builds the index. */
export function buildIndex(schema: string, { name, table, unique, definition }: ConcurrentIndex): string {
  const names = `${name} ON ${quoted(schema)}.${table}`
  return `CREATE ${unique ? 'UNIQUE ' : ''}INDEX CONCURRENTLY ${names} ${definition(quoted(schema))}`
}

/** The use of the table by a build. */
export function buildUse({ table }: ConcurrentIndex): TableUse {
  return { table, lock: 'SHARE UPDATE EXCLUSIVE', work: 'concurrent index' }
}

export function dropIndex(schema: string, { name, table }: ConcurrentIndex): readonly StepStatement[] {
  return [
    {
      sql: `DROP INDEX ${quoted(schema)}.${name}`,
      uses: [{ table, lock: 'ACCESS EXCLUSIVE', work: 'catalog' }],
    },
  ]
}

/**
 * Builds the index. Resolves with the error if a lock could not be taken; undefined if the index exists now, whoever built it.
 */
async function build(context: StepContext, step: ConcurrentMigration): Promise<unknown> {
  await waitWithoutLimit(context)
  try {
    await runStatement(context, buildIndex(context.schema, step.index))
    return undefined
  } catch (error) {
    const cause = failureOf(error)
    if (sqlStateOf(cause) === sqlState.duplicateTable) return undefined
    if (isContention(cause)) return error
    // The remains of a unique index would refuse valid rows, so they are dropped.
    if (!isLost(cause)) await recordOrClear(context, step).catch(() => undefined)
    throw error
  }
}

function isLost(cause: unknown): boolean {
  return isUnavailable(cause) && sqlStateOf(cause) !== sqlState.queryCanceled
}

/**
 * Disables the timeouts of the session. A build waits for every transaction that was open when it began, and blocks no one
 * meanwhile, so a timeout would only leave an invalid index. Behind a pooler the settings stay unchanged, because the session may
 * be given to another client. There the build has the timeouts of its role, and is tried again.
 */
async function waitWithoutLimit({ client }: StepContext): Promise<void> {
  const { rows } = await client.query<{ pid: number }>('SELECT pg_catalog.pg_backend_pid() AS pid')
  if (rows[0]?.pid !== processIdOf(client)) return
  await client.query('SET lock_timeout = 0; SET statement_timeout = 0; SET search_path = pg_catalog, pg_temp')
}

/** The id of the server process that the connection was told. A pooler sends a different number. */
function processIdOf(client: pg.ClientBase): number | null {
  return (client as unknown as { readonly processID: number | null }).processID
}

function nameExists(step: ConcurrentMigration): QueueError {
  return new QueueError(
    'migration_failed',
    `${named(step)} has failed: ${step.index.name} already exists, but differs from the index of this step. ` +
      'Rename or drop it, and run the migration again',
  )
}
