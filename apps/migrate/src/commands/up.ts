import type { MigrationEvent } from '@queue/core'
import type { CommandContext } from './command-context.ts'
import { newerSchemaText } from './newer-schema.ts'

/**
 * Migrates the schema up to this code's version. Any number of processes can do so at the same time. A newer schema on which
 * this release can run is not changed, because a rollback of a deployment runs this command too.
 */
export async function up({ schema, format, retry, print, onStepProgress }: CommandContext): Promise<void> {
  const applied: { version: number; name: string }[] = []
  const onProgress = (event: MigrationEvent): void => {
    if (event.type === 'waiting' || event.type === 'batch') return onStepProgress(event)
    applied.push({ version: event.version, name: event.name })
    if (format === 'text') print(`applied ${event.version} ${event.name}`)
  }
  const { schema: name, to, codeVersion } = await retry(() => schema.up(onProgress))
  if (format === 'json') {
    return print(JSON.stringify({ schema: name, version: to, code_version: codeVersion, applied }))
  }
  const at = `schema "${name}" is ${applied.length === 0 ? 'already ' : ''}at version ${to}`
  print(to > codeVersion ? `${at}, ${newerSchemaText(codeVersion)}` : at)
}
