import type { MigrationState, MigrationStatus } from '@queue/core'
import type { Column } from '@queue/commands'
import { defineCommand } from '../command.ts'

const columns: readonly Column<MigrationState>[] = [
  { title: 'version', of: ({ version }) => version },
  { title: 'name', of: ({ name }) => name },
  { title: 'applied', of: ({ appliedAt }) => appliedAt?.toISOString() ?? 'pending' },
]

export const status = defineCommand({
  name: 'status',
  summary: 'show which steps have been applied, and when',
  arguments: [],
  options: {},
  examples: [{ line: 'queue-migrate status', description: 'The steps of this release' }],
  async run({ schema, retry, print }) {
    const found = await retry(() => schema.status())
    if (print.isJson) return print.json(toJson(found))
    const versions = `version ${found.databaseVersion}, this release ${found.codeVersion}`
    await print.line(`schema "${found.schema}": ${versions}: ${stateText(found, schema.upCommand)}`)
    return print.table(found.migrations, columns)
  },
})

function toJson(found: MigrationStatus): object {
  return {
    schema: found.schema,
    state: stateOf(found),
    version: found.databaseVersion,
    code_version: found.codeVersion,
    compatible: found.status === 'compatible',
    migrations: found.migrations.map(({ version, name, appliedAt }) => ({
      version,
      name,
      applied_at: appliedAt?.toISOString() ?? null,
    })),
  }
}

function stateOf(found: MigrationStatus): 'up_to_date' | 'pending' | 'newer' | 'different' {
  const { databaseVersion, codeVersion } = found
  if (found.status === 'different') return found.status
  if (databaseVersion === codeVersion) return 'up_to_date'
  return databaseVersion < codeVersion ? 'pending' : 'newer'
}

function stateText(found: MigrationStatus, upCommand: string): string | null {
  const newer = 'the database is newer than this release'
  const texts = {
    up_to_date: 'up to date',
    pending: `run ${upCommand}`,
    different: found.remedy,
    newer: found.status === 'compatible' ? `${newer}, which can run on it` : newer,
  } as const
  return texts[stateOf(found)]
}
