import { QueueError } from '@queue/core'
import {
  type ExitCode,
  ExitError,
  exitCodes,
  type MainContext,
  outboxDatabase,
  waitWhileUnavailable,
} from '@queue/service'
import type { CommandContext } from './commands/command-context.ts'
import { afterRestore } from './commands/after-restore.ts'
import { doctor } from './commands/doctor.ts'
import { down } from './commands/down.ts'
import { keys } from './commands/keys.ts'
import { kinds } from './commands/kinds.ts'
import { plan } from './commands/plan.ts'
import { resume } from './commands/resume.ts'
import { planRoles, roles } from './commands/roles.ts'
import { status } from './commands/status.ts'
import { up } from './commands/up.ts'
import type { MigrateConfig } from './config.ts'
import { managedSchema } from './managed-schema.ts'
import type { Command } from './parse-arguments.ts'
import { followSteps } from './follow-steps.ts'
import { roleNames } from './role-variables.ts'

/** Runs one command, and resolves with its exit code if that is not 0. Throws an ExitError in place of a QueueError. */
export async function runCommand(main: MainContext<MigrateConfig, Command>): Promise<ExitCode | void> {
  const command = main.args
  const context = createContext(main)
  try {
    switch (command.name) {
      case 'up':
        return await up(context)
      case 'down':
        return await down(context, { to: command.to })
      case 'status':
        return await status(context)
      case 'plan':
        return await plan(context)
      case 'doctor':
        return await doctor(context, doctorOptions(main.config))
      case 'after-restore':
        return await afterRestore(context, { mode: command.mode, target: targetOf(main.config) })
      case 'resume':
        return await resume(context, { queue: command.queue, target: targetOf(main.config) })
      case 'keys':
        return await keys(context, { task: command.task, target: targetOf(main.config) })
      case 'kinds':
        return await kinds(context, { task: command.task, target: kindsTargetOf(main.config) })
      case 'roles':
        return command.mode === 'plan'
          ? await planRoles(context, command.goal)
          : await roles(context, command.goal)
    }
  } catch (error) {
    throw explainFailure(error, main.signal)
  }
}

/**
 * The error to throw in place of `error`. A stop counts as a failure, because a deployment that waits for the schema must not
 * take it for a success. PostgreSQL rolls back the current step when the connection closes.
 */
function explainFailure(error: unknown, signal: AbortSignal): unknown {
  if (signal.aborted && error === signal.reason) {
    return new ExitError(exitCodes.failure, 'stopped before the command finished: run it again')
  }
  return error instanceof QueueError
    ? new ExitError(exitCodeOf(error), error.message, { cause: error })
    : error
}

function createContext({
  config,
  args,
  logger,
  signal,
}: MainContext<MigrateConfig, Command>): CommandContext {
  return {
    schema: managedSchema(args.migrationSet, config),
    format: args.format,
    onStepProgress: followSteps(logger),
    retry: (attempt) =>
      waitWhileUnavailable({
        attempt,
        logger,
        signal,
        waitMsMax: config.MIGRATE_WAIT_MS,
        ...(args.migrationSet === 'outbox' ? { database: outboxDatabase(config) } : {}),
      }),
    print: (text) => void process.stdout.write(`${text}\n`),
  }
}

function targetOf(config: MigrateConfig) {
  return { connectionString: config.DATABASE_URL, schema: config.QUEUE_SCHEMA }
}

function kindsTargetOf(config: MigrateConfig) {
  const auto = config.NODE_ENV === 'production' ? 'refuse' : 'replace'
  return {
    ...targetOf(config),
    changes: config.KIND_CHANGES === 'auto' ? auto : config.KIND_CHANGES,
  } as const
}

function doctorOptions(config: MigrateConfig) {
  return {
    queue: { ...targetOf(config), roles: roleNames(config), poolMax: config.DATABASE_POOL_MAX },
    outbox: {
      connectionString: config.OUTBOX_DATABASE_URL ?? config.DATABASE_URL,
      schema: config.OUTBOX_SCHEMA,
      // If the database of an outbox is configured, a missing outbox is a failure.
      absence: config.OUTBOX_DATABASE_URL === undefined ? 'meant' : 'failure',
    },
  } as const
}

function exitCodeOf(error: QueueError): ExitCode {
  return error.code === 'schema_mismatch' ? exitCodes.schema : exitCodes.failure
}
