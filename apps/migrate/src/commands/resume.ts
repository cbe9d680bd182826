import { type AfterRestoreOptions, afterRestorePlan } from '@queue/admin'
import { createQueue } from '@queue/core'
import { roleActor, databaseOf } from '@queue/core/internal'
import type { CommandContext } from './command-context.ts'

export interface ResumeCommand {
  readonly queue: string
  readonly target: Pick<AfterRestoreOptions, 'connectionString' | 'schema'>
}

/** Resumes one queue after a restore, and prints which queues are still paused. */
export async function resume(
  { format, retry, print }: CommandContext,
  { queue: name, target }: ResumeCommand,
): Promise<void> {
  const queue = createQueue({ ...target, poolMax: 1, applicationName: 'queue-migrate' })
  try {
    await retry(async () => queue.actAs(await roleActor(databaseOf(queue))).resume(name))
  } finally {
    await queue.close()
  }
  const { schema, queues } = await retry(() => afterRestorePlan(target))
  if (format === 'json') {
    return print(JSON.stringify({ schema, resumed: name, paused: queues.alreadyPaused }))
  }
  print(`queue "${name}" is resumed; still paused: ${queues.alreadyPaused.join(', ') || 'none'}`)
}
