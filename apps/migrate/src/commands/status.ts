import type { MigrationState, MigrationStatus } from '@queue/core'
import type { CommandContext } from './command-context.ts'

/** Shows which steps have been applied, and when. Changes nothing. */
export async function status({ schema, format, retry, print }: CommandContext): Promise<void> {
  const schemaStatus = await retry(() => schema.status())
  print(format === 'json' ? JSON.stringify(toJson(schemaStatus)) : toTable(schemaStatus, schema.upCommand))
}

function toJson(schemaStatus: MigrationStatus): object {
  return {
    schema: schemaStatus.schema,
    state: stateOf(schemaStatus),
    version: schemaStatus.databaseVersion,
    code_version: schemaStatus.codeVersion,
    compatible: schemaStatus.status === 'compatible',
    migrations: schemaStatus.migrations.map(({ version, name, appliedAt }) => ({
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

function toTable(schemaStatus: MigrationStatus, upCommand: string): string {
  const stateTexts = {
    up_to_date: 'up to date',
    pending: `run ${upCommand}`,
    different: schemaStatus.remedy,
    newer:
      schemaStatus.status === 'compatible'
        ? 'the database is newer than this release, which can run on it'
        : 'the database is newer than this release',
  } as const
  const rows = [['version', 'name', 'applied'], ...schemaStatus.migrations.map(toRow)]
  const widths = [0, 1].map((column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)))
  const versions = `version ${schemaStatus.databaseVersion}, this release ${schemaStatus.codeVersion}`
  return [
    `schema "${schemaStatus.schema}": ${versions}: ${stateTexts[stateOf(schemaStatus)]}`,
    ...rows.map((row) => row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  ')),
  ].join('\n')
}

function toRow({ version, name, appliedAt }: MigrationState): string[] {
  return [String(version), name, appliedAt?.toISOString() ?? 'pending']
}
