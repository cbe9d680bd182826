import { type AfterRestoreOptions, afterRestorePlan } from '@queue/admin'
import { createQueue } from '@queue/core'
import { roleActor } from '@queue/core/access'
import type { CommandContext } from './command-context.ts'

export interface ResumeCommand {
  readonly queue: string
  readonly target: Pick<AfterRestoreOptions, 'connectionString' | 'schema'>
}

/** Lets one queue go on after a restore, and says which are paused still. */
export async function resume(
  { format, ask, print }: CommandContext,
  { queue: name, target }: ResumeCommand,
): Promise<void> {
  const queue = createQueue({ ...target, poolMax: 1, applicationName: 'queue-migrate' })
  try {
    await ask(async () => queue.actAs(await roleActor(queue.database)).resume(name))
  } finally {
    await queue.close()
  }
  const { schema, queues } = await ask(() => afterRestorePlan(target))
  if (format === 'json') {
    return print(JSON.stringify({ schema, resumed: name, paused: queues.alreadyPaused }))
  }
  print(`queue "${name}" goes on; paused still: ${queues.alreadyPaused.join(', ') || 'none'}`)
}
