import type { MigrationEvent } from '@queue/core'
import { ConfigError } from '@queue/service'
import type { CommandContext } from './command-context.ts'

/**
 * Undoes the last step, or every step after version `to`. The target version is read before the first step is undone, so
 * that a retry after a lost reply does not undo one more step.
 */
export async function down(
  context: CommandContext,
  options: { readonly to: number | undefined },
): Promise<void> {
  const { schema, format, retry, print, onStepProgress } = context
  const { databaseVersion } = await retry(() => schema.status())
  const to = options.to ?? Math.max(0, databaseVersion - 1)
  if (to > databaseVersion) {
    throw new ConfigError([`--to ${to} is above the database's version; accepted: 0 to ${databaseVersion}`])
  }
  const reverted: { version: number; name: string }[] = []
  const onProgress = (event: MigrationEvent): void => {
    if (event.type === 'waiting' || event.type === 'batch') return onStepProgress(event)
    reverted.push({ version: event.version, name: event.name })
    if (format === 'text') print(`reverted ${event.version} ${event.name}`)
  }
  const { schema: name } = await retry(() => schema.down(to, onProgress))
  if (format === 'json') return print(JSON.stringify({ schema: name, version: to, reverted }))
  print(`schema "${name}" is ${reverted.length === 0 ? 'already ' : ''}at version ${to}`)
}
