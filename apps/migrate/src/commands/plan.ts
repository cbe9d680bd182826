import type { MigrationPlan, PlannedStatement } from '@queue/core'
import { ExitError, exitCodes } from '@queue/service'
import type { CommandContext } from './command-context.ts'
import { newerSchemaText } from './newer-schema.ts'

/** Prints the SQL that `up` would run, with the locks of each statement and their duration. Runs none of it. */
export async function plan({ schema, format, retry, print }: CommandContext): Promise<void> {
  const { schema: name, databaseVersion, codeVersion, ...found } = await retry(() => schema.status())
  if (found.remedy !== null) throw new ExitError(exitCodes.schema, found.remedy)
  if (found.status === 'newer') {
    const versions = `at schema version ${databaseVersion}, newer than this code (${codeVersion})`
    throw new ExitError(exitCodes.schema, `the database is ${versions}: run a newer release`)
  }
  const migrationPlan = await retry(() => schema.plan())
  if (format === 'json') return print(toJson(migrationPlan))
  if (migrationPlan.sql !== '') return print(migrationPlan.sql.trimEnd())
  const at = `schema "${name}" is at version ${databaseVersion}`
  print(
    databaseVersion > codeVersion ? `-- ${at}, ${newerSchemaText(codeVersion)}` : `-- nothing to do: ${at}`,
  )
}

function toJson({ schema, from, to, steps, grants, sql }: MigrationPlan): string {
  return JSON.stringify({
    schema,
    version: from,
    to,
    steps: steps.map(({ statements, ...step }) => ({ ...step, statements: statements.map(statementJson) })),
    grants: grants.map(statementJson),
    sql,
  })
}

function statementJson({ sql, uses }: PlannedStatement): object {
  return {
    sql,
    locks: uses.map(({ table, lock, work, rows, bytes, estimateMs, waits }) => ({
      table,
      lock,
      work,
      rows,
      bytes,
      estimate_ms: estimateMs,
      waits,
    })),
  }
}
