import { ExitError, exitCodes } from '@queue/service'
import type { CommandContext } from './command-context.ts'

/** Prints the SQL that `up` would run, and runs none of it. */
export async function plan({ schema, format, ask, print }: CommandContext): Promise<void> {
  const { schema: name, databaseVersion, codeVersion } = await ask(() => schema.status())
  if (databaseVersion > codeVersion) {
    const versions = `at schema version ${databaseVersion}, newer than this code (${codeVersion})`
    throw new ExitError(exitCodes.schema, `the database is ${versions}: run a newer release`)
  }
  const sql = await ask(() => schema.plan())
  if (format === 'json') return print(JSON.stringify({ schema: name, version: databaseVersion, sql }))
  print(sql === '' ? `-- nothing to do: schema "${name}" is at version ${databaseVersion}` : sql.trimEnd())
}
