import type { SchemaVersion } from '@queue/core'
import { ExitError, exitCodes } from './exit-code.ts'

const migrateCommand = 'migrate up (node apps/migrate/dist/main.js up)'

/**
 * The schema in the database is not one that this code may run on. The message says what to run. Exit code 3.
 */
export class SchemaVersionError extends ExitError {
  override readonly name = 'SchemaVersionError'

  constructor(schema: string, version: SchemaVersion) {
    super(exitCodes.schema, explain(schema, version))
  }
}

function explain(schema: string, { status, databaseVersion, codeVersion }: SchemaVersion): string {
  const found = `the schema "${schema}" is at version ${databaseVersion}`
  switch (status) {
    case 'missing':
      return `the database has no queue in schema "${schema}": run ${migrateCommand}, then start again`
    case 'older':
      return `${found}, and this code needs version ${codeVersion}: run ${migrateCommand}, then start again`
    case 'newer':
      return `${found}, on which code for version ${codeVersion} cannot run any more: deploy a newer release`
    case 'compatible':
      return `${found}, which fits`
  }
}
