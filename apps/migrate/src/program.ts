import { readVersion } from '@queue/service'
import { migrateConfig } from './config.ts'
import { parseArguments, usage } from './parse-arguments.ts'

/**
 * How this process presents itself. Standard output belongs to its results, so its log goes to standard
 * error.
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
