import { QueueError } from '../errors.ts'
import { readVersion } from './migration-history.ts'
import type { RunnerClient } from './runner-client.ts'

/** Throws `schema_mismatch` if the schema does not have the version of this code. */
export async function assertCurrent(runner: RunnerClient): Promise<void> {
  const { schema, migrationSet } = runner
  const { version } = await readVersion(runner)
  const codeVersion = migrationSet.steps.length
  if (version === codeVersion) return
  const remedy = version < codeVersion ? `run ${migrationSet.upCommand} first` : 'run a newer release'
  throw new QueueError(
    'schema_mismatch',
    `the schema "${schema}" is at version ${version}, but this code needs version ${codeVersion}: ${remedy}`,
  )
}
