import type { MigrationEvent } from '@queue/core'
import { defineCommand } from '../command.ts'
import { newerSchemaText } from './newer-schema.ts'

/**
 * Migrates the schema up to this code's version. Any number of processes can do so at the same time. A newer schema on which
 * this release can run is not changed, because a rollback of a deployment runs this command too.
 */
export const up = defineCommand({
  name: 'up',
  summary: 'create the tables, and migrate them up to this release',
  arguments: [],
  options: {},
  examples: [{ line: 'queue-migrate up', description: 'At each release, before its processes start' }],
  async run({ schema, retry, print, onStepProgress }) {
    const applied: { version: number; name: string }[] = []
    const onProgress = (event: MigrationEvent): void => {
      if (event.type === 'waiting' || event.type === 'batch') return onStepProgress(event)
      applied.push({ version: event.version, name: event.name })
      if (!print.isJson) void print.line(`applied ${event.version} ${event.name}`)
    }
    const { schema: name, to, codeVersion } = await retry(() => schema.up(onProgress))
    if (print.isJson) return print.json({ schema: name, version: to, code_version: codeVersion, applied })
    const at = `schema "${name}" is ${applied.length === 0 ? 'already ' : ''}at version ${to}`
    return print.line(to > codeVersion ? `${at}, ${newerSchemaText(codeVersion)}` : at)
  },
})
