import { differentCure, differentReason, type SchemaVersion } from '@queue/postgres'
import { ExitError, exitCodes } from './exit-code.ts'

const migrateCommand = 'queue-migrate up'

/** This code cannot run on the schema in the database. The message says what to run. Exit code 3. */
export class SchemaVersionError extends ExitError {
  override readonly name = 'SchemaVersionError'

  constructor(schema: string, version: SchemaVersion) {
    super(exitCodes.schema, explain(schema, version))
  }
}

function explain(schema: string, version: SchemaVersion): string {
  const { status, databaseVersion, codeVersion } = version
  const current = `the schema "${schema}" is at version ${databaseVersion}`
  switch (status) {
    case 'missing':
      return `the database has no queue in schema "${schema}": run ${migrateCommand}, then start again`
    case 'older':
      return `${current}, but this code needs version ${codeVersion}: run ${migrateCommand}, then start again`
    case 'newer':
      return `${current}, on which code for version ${codeVersion} can no longer run: deploy a newer release`
    case 'different':
      return `${current}, but ${differentReason(version)}: ${differentCure('queue-migrate up')}, then start again`
    case 'compatible':
      return `${current}, which is compatible`
  }
}
