import { type MigrationEvent, migrateUp } from '@queue/core'
import type { CommandContext } from './command-context.ts'

/** Brings the schema up to this code's version. Any number of runners may do so at once. */
export async function up({ migrate, format, ask, print }: CommandContext): Promise<void> {
  const applied: { version: number; name: string }[] = []
  const onProgress = (event: MigrationEvent): void => {
    migrate.onProgress?.(event)
    if (event.type !== 'applied') return
    applied.push({ version: event.version, name: event.name })
    if (format === 'text') print(`applied ${event.version} ${event.name}`)
  }
  const { schema, to } = await ask(() => migrateUp({ ...migrate, onProgress }))
  if (format === 'json') return print(JSON.stringify({ schema, version: to, applied }))
  print(`schema "${schema}" is ${applied.length === 0 ? 'already ' : ''}at version ${to}`)
}
