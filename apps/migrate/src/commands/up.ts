import type { MigrationEvent } from '@queue/core'
import type { CommandContext } from './command-context.ts'

/** Brings the schema up to this code's version. Any number of runners may do so at once. */
export async function up({ schema, format, ask, print, onWait }: CommandContext): Promise<void> {
  const applied: { version: number; name: string }[] = []
  const onProgress = (event: MigrationEvent): void => {
    if (event.type === 'waiting') return onWait(event)
    applied.push({ version: event.version, name: event.name })
    if (format === 'text') print(`applied ${event.version} ${event.name}`)
  }
  const { schema: name, to } = await ask(() => schema.up(onProgress))
  if (format === 'json') return print(JSON.stringify({ schema: name, version: to, applied }))
  print(`schema "${name}" is ${applied.length === 0 ? 'already ' : ''}at version ${to}`)
}
