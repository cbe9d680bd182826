import { migrationPlan, migrationStatus } from '@queue/core'
import { ExitError, exitCodes } from '@queue/service'
import type { CommandContext } from './command-context.ts'

/** Prints the SQL that `up` would run, and runs none of it. */
export async function plan({ migrate, format, ask, print }: CommandContext): Promise<void> {
  const { schema, databaseVersion, codeVersion } = await ask(() => migrationStatus(migrate))
  if (databaseVersion > codeVersion) {
    const versions = `at schema version ${databaseVersion}, newer than this code (${codeVersion})`
    throw new ExitError(exitCodes.schema, `the database is ${versions}: run a newer release`)
  }
  const sql = await ask(() => migrationPlan(migrate))
  if (format === 'json') return print(JSON.stringify({ schema, version: databaseVersion, sql }))
  print(sql === '' ? `-- nothing to do: schema "${schema}" is at version ${databaseVersion}` : sql.trimEnd())
}
