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
 * Builds an index while others write, and records the step once the index is there and valid.
 *
 * CREATE INDEX CONCURRENTLY has several transactions of its own, so that no lock of ours can be held over it. It takes
 * SHARE UPDATE EXCLUSIVE of its table, which no two builders have at once, and holds it to its end. So whoever has that
 * lock knows that nobody builds: an invalid index is what a build has left that was broken off, and a valid one is a
 * build that nobody has recorded yet. A runner that builds at the same time as another one waits for it, and finds the
 * name taken.
 */
export async function applyConcurrent(context: StepContext, step: ConcurrentMigration): Promise<Outcome> {
  for (let tries = 1; ; tries += 1) {
    const seen = await recordOrClear(context, step)
    if (seen !== 'absent') return seen
    const refusal = await build(context, step)
    if (refusal === undefined) continue
    if (tries >= lockTriesMax) throw lockedOut(named(step), refusal)
    context.onProgress({ type: 'waiting', version: step.version, tries, waitsFor: 'lock' })
    await giveWay(context)
  }
}

/** Records the step where its index is there, and removes what is left of a build that was broken off. */
function recordOrClear(context: StepContext, step: ConcurrentMigration): Promise<Outcome | 'absent'> {
  return stepTransaction<Outcome | 'absent'>(context, step, {
    from: step.version - 1,
    body: async () => {
      await keepVacuumAway(context, [buildUse(step.index)])
      const found = await readIndex(context, step.index)
      if (found === 'absent') return 'absent'
      if (found === 'invalid') {
        await runStatements(context, dropIndex(context.schema, step.index))
        return 'absent'
      }
      if (found === 'other') throw nameTaken(step)
      await context.client.query(noteApplied(context, step))
      return 'done'
    },
  })
}

/** `other`: something of the index's name is there that the step would not have made. */
type FoundIndex = 'absent' | 'invalid' | 'valid' | 'other'

export async function readIndex(
  { client, schema }: StepContext,
  index: ConcurrentIndex,
): Promise<FoundIndex> {
  const { rows } = await client.query<{ schema: string; valid: boolean | null; definition: string | null }>(
    `SELECT quote_ident($1::text) AS schema, i.indisvalid AND i.indisready AND i.indislive AS valid,
            pg_get_indexdef(i.indexrelid) AS definition
       FROM pg_class AS c LEFT JOIN pg_index AS i ON i.indexrelid = c.oid
      WHERE c.relnamespace = to_regnamespace($2) AND c.relname = $3`,
    [schema, quoted(schema), index.name],
  )
  const [found] = rows
  if (found === undefined) return 'absent'
  if (found.valid === false) return 'invalid'
  return found.definition === definitionOf(found.schema, index) ? 'valid' : 'other'
}

/** As `pg_get_indexdef` has it; `schema` as it quotes it. */
function definitionOf(schema: string, { name, table, unique, definition }: ConcurrentIndex): string {
  return `CREATE ${unique ? 'UNIQUE ' : ''}INDEX ${name} ON ${schema}.${table} ${definition(schema)}`
}

/** The statement that builds the index. */
export function buildIndex(schema: string, { name, table, unique, definition }: ConcurrentIndex): string {
  const names = `${name} ON ${quoted(schema)}.${table}`
  return `CREATE ${unique ? 'UNIQUE ' : ''}INDEX CONCURRENTLY ${names} ${definition(quoted(schema))}`
}

/** What a build does to its table. */
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

/** Gives the failure where somebody stood in the way, and nothing when the index has been built, by whomever. */
async function build(context: StepContext, step: ConcurrentMigration): Promise<unknown> {
  await waitWithoutLimit(context)
  try {
    await runStatement(context, buildIndex(context.schema, step.index))
    return undefined
  } catch (error) {
    const cause = failureOf(error)
    if (sqlStateOf(cause) === sqlState.duplicateTable) return undefined
    if (isContention(cause)) return error
    // What is left of a unique index would refuse rows that are to be taken.
    if (!isLost(cause)) await recordOrClear(context, step).catch(() => undefined)
    throw error
  }
}

function isLost(cause: unknown): boolean {
  return isUnavailable(cause) && sqlStateOf(cause) !== sqlState.queryCanceled
}

/**
 * A build waits for every transaction that was open when it began, and is in the way of nobody meanwhile: a time-out
 * would only leave an invalid index behind. The settings are those of the session, so they are left alone where a pooler
 * may give that to somebody else: there the build has the time-outs of its role, and is tried again.
 */
async function waitWithoutLimit({ client }: StepContext): Promise<void> {
  const { rows } = await client.query<{ pid: number }>('SELECT pg_catalog.pg_backend_pid() AS pid')
  if (rows[0]?.pid !== processIdOf(client)) return
  await client.query('SET lock_timeout = 0; SET statement_timeout = 0; SET search_path = pg_catalog, pg_temp')
}

/** The server's process as the connection was told of it. A pooler gives a number of its own. */
function processIdOf(client: pg.ClientBase): number | null {
  return (client as unknown as { readonly processID: number | null }).processID
}

function nameTaken(step: ConcurrentMigration): QueueError {
  return new QueueError(
    'migration_failed',
    `${named(step)} has failed: ${step.index.name} is there, and is not the index that the step makes. ` +
      'Rename or drop it, and run it again',
  )
}
