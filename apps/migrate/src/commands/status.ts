import type { MigrationState, MigrationStatus } from '@queue/core'
import type { CommandContext } from './command-context.ts'

/** Shows which steps have been applied, and when. Changes nothing. */
export async function status({ schema, format, ask, print }: CommandContext): Promise<void> {
  const found = await ask(() => schema.status())
  print(format === 'json' ? JSON.stringify(toJson(found)) : toTable(found, schema.upCommand))
}

function toJson(found: MigrationStatus): object {
  return {
    schema: found.schema,
    state: stateOf(found),
    version: found.databaseVersion,
    code_version: found.codeVersion,
    compatible: found.compatible,
    migrations: found.migrations.map(({ version, name, appliedAt }) => ({
      version,
      name,
      applied_at: appliedAt?.toISOString() ?? null,
    })),
  }
}

function stateOf({ databaseVersion, codeVersion }: MigrationStatus): 'up_to_date' | 'pending' | 'newer' {
  if (databaseVersion === codeVersion) return 'up_to_date'
  return databaseVersion < codeVersion ? 'pending' : 'newer'
}

function toTable(found: MigrationStatus, upCommand: string): string {
  const verdicts = {
    up_to_date: 'up to date',
    pending: `run ${upCommand}`,
    newer: found.compatible
      ? 'the database is newer than this release, which can run on it'
      : 'the database is newer than this release',
  } as const
  const rows = [['version', 'name', 'applied'], ...found.migrations.map(toRow)]
  const widths = [0, 1].map((column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)))
  const versions = `version ${found.databaseVersion}, this release ${found.codeVersion}`
  return [
    `schema "${found.schema}": ${versions}: ${verdicts[stateOf(found)]}`,
    ...rows.map((row) => row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  ')),
  ].join('\n')
}

function toRow({ version, name, appliedAt }: MigrationState): string[] {
  return [String(version), name, appliedAt?.toISOString() ?? 'pending']
}
