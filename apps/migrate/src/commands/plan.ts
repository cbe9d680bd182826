import type { MigrationPlan, PlannedStatement } from '@queue/core'
import { ExitError, exitCodes } from '@queue/service'
import { defineCommand } from '../command.ts'
import { newerSchemaText } from './newer-schema.ts'

/** Prints the SQL that `up` would run, with the locks of each statement and their duration. Runs none of it. */
export const plan = defineCommand({
  name: 'plan',
  summary: 'print the SQL that up would run',
  description: 'Above each statement it prints the locks, and how long they may block others.',
  arguments: [],
  options: {},
  examples: [{ line: 'queue-migrate plan', description: 'What a release would change, before it does' }],
  async run({ schema, retry, print }) {
    const { schema: name, databaseVersion, codeVersion, ...found } = await retry(() => schema.status())
    if (found.remedy !== null) throw new ExitError(exitCodes.schema, found.remedy)
    if (found.status === 'newer') {
      const versions = `at schema version ${databaseVersion}, newer than this code (${codeVersion})`
      throw new ExitError(exitCodes.schema, `the database is ${versions}: run a newer release`)
    }
    const migrationPlan = await retry(() => schema.plan())
    if (print.isJson) return print.json(toJson(migrationPlan))
    if (migrationPlan.sql !== '') return print.line(migrationPlan.sql.trimEnd())
    const at = `schema "${name}" is at version ${databaseVersion}`
    return print.line(
      databaseVersion > codeVersion ? `-- ${at}, ${newerSchemaText(codeVersion)}` : `-- nothing to do: ${at}`,
    )
  },
})

function toJson({ schema, from, to, steps, grants, sql }: MigrationPlan): object {
  return {
    schema,
    version: from,
    to,
    steps: steps.map(({ statements, ...step }) => ({ ...step, statements: statements.map(statementJson) })),
    grants: grants.map(statementJson),
    sql,
  }
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
