import { QueueError } from '../errors.ts'
import { readApplied } from './migration-history.ts'
import type { RunnerClient } from './runner-client.ts'
import { differentCure, differentReason, type SchemaVersion, schemaVersionOf } from './schema-version.ts'

/** Throws `schema_mismatch` if the schema does not have the version and the text of this code. */
export async function assertCurrent(runner: RunnerClient): Promise<void> {
  const { schema, migrationSet } = runner
  const version = await readSchemaVersion(runner)
  assertSame(version, migrationSet.upCommand)
  const { databaseVersion, codeVersion } = version
  if (databaseVersion === codeVersion) return
  const remedy = databaseVersion < codeVersion ? `run ${migrationSet.upCommand} first` : 'run a newer release'
  throw new QueueError(
    'schema_mismatch',
    `the schema "${schema}" is at version ${databaseVersion}, but this code needs version ${codeVersion}: ${remedy}`,
  )
}

export async function readSchemaVersion(runner: RunnerClient): Promise<SchemaVersion> {
  return schemaVersionOf(await readApplied(runner), runner.migrationSet)
}

/** Throws `schema_mismatch` if a step was applied with another text than this code has. */
export function assertSame(version: SchemaVersion, upCommand: string): void {
  if (version.status !== 'different') return
  throw new QueueError('schema_mismatch', `${differentReason(version)}: ${differentCure(upCommand)}`)
}
