import { readVersion } from '@queue/service'
import { migrateConfig } from './config.ts'
import { parseArguments, usage } from './parse-arguments.ts'

/**
 * The name, version, help and settings of this program. Standard output is for results, so the log goes to standard error.
 */
export const program = {
  name: 'queue-migrate',
  version: readVersion(new URL('../package.json', import.meta.url)),
  description: "Creates the queue's tables in a PostgreSQL database, and brings them up to this release.",
  usage,
  config: migrateConfig,
  parseArguments,
  logStream: process.stderr,
}
