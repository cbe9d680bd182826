import { flag, usageFailure, whole } from '@queue/commands'
import type { MigrationEvent } from '@queue/core'
import { defineCommand } from '../command.ts'

const versionMax = 999_999_999

/**
 * Undoes the last step, or every step after version `to`. The target version is read before the first step is undone, so
 * that a retry after a lost reply does not undo one more step.
 */
export const down = defineCommand({
  name: 'down',
  summary: 'undo the last step, and lose its data',
  arguments: [],
  options: {
    to: whole('N', { min: 0, max: versionMax }, 'undo every step after version N; 0 undoes every step'),
    yes: flag('required, because the data of these steps is lost'),
  },
  examples: [{ line: 'queue-migrate down --yes', description: 'Undo the last step' }],
  async run({ values, schema, retry, print, onStepProgress }) {
    if (!values.yes) {
      throw usageFailure(
        'down deletes data: it drops the tables of the steps that it undoes',
        'run down --yes',
      )
    }
    const { databaseVersion } = await retry(() => schema.status())
    const to = values.to ?? Math.max(0, databaseVersion - 1)
    if (to > databaseVersion) {
      throw usageFailure(
        `--to ${to} is above the database's version`,
        `give a version of 0 to ${databaseVersion}`,
      )
    }
    const reverted: { version: number; name: string }[] = []
    const onProgress = (event: MigrationEvent): void => {
      if (event.type === 'waiting' || event.type === 'batch') return onStepProgress(event)
      reverted.push({ version: event.version, name: event.name })
      if (!print.isJson) void print.line(`reverted ${event.version} ${event.name}`)
    }
    const { schema: name } = await retry(() => schema.down(to, onProgress))
    if (print.isJson) return print.json({ schema: name, version: to, reverted })
    return print.line(`schema "${name}" is ${reverted.length === 0 ? 'already ' : ''}at version ${to}`)
  },
})
