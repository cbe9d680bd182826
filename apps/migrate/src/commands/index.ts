import type { Command } from '../command.ts'
import { afterRestore } from './after-restore.ts'
import { doctor } from './doctor.ts'
import { down } from './down.ts'
import { plan } from './plan.ts'
import { roles } from './roles.ts'
import { status } from './status.ts'
import { up } from './up.ts'

/** The commands for every schema: the queue's, and that of an outbox. */
const schemaCommands: readonly Command[] = [up, down, status, plan, roles]

/** Every command, in the order of the help. */
export const commands: readonly Command[] = [
  ...schemaCommands,
  doctor,
  afterRestore,
  ...schemaCommands.map(forOutbox),
]

/** The same command for an outbox, which OUTBOX_SCHEMA and OUTBOX_DATABASE_URL name. */
function forOutbox(command: Command): Command {
  return {
    ...command,
    name: `outbox ${command.name}`,
    summary: `the same for an outbox: ${command.summary}`,
    examples: command.examples.map(({ line, description }) => ({
      line: line.replace('queue-migrate', 'queue-migrate outbox'),
      description,
    })),
    run: (context) => command.run({ ...context, ...context.outbox() }),
  }
}
