import { initial } from './0001-initial.ts'
import { schemaDefault } from '../database/schema-names.ts'
import type { Lineage, Migration } from './migration.ts'

/** Every step, in order. A static list: bundlers and read-only images need no directory to scan. */
export const migrations: readonly Migration[] = [initial]

/** The schema version that this code is built for. */
export const codeVersion = migrations.length

export const queueLineage: Lineage = {
  name: 'queue',
  schemaDefault,
  upCommand: 'migrate up',
  ledger: 'migrations',
  steps: migrations,
}
