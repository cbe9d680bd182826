import { createPrinter, Failure, exitCodes as commandExitCodes, failureText } from '@queue/commands'
import { QueueError } from '@queue/core'
import {
  type ExitCode,
  ExitError,
  exitCodes,
  type MainContext,
  outboxDatabase,
  waitWhileUnavailable,
} from '@queue/service'
import type { Surroundings } from './command.ts'
import type { MigrateConfig } from './config.ts'
import { followSteps } from './follow-steps.ts'
import { managedSchema, type MigrationSetName } from './managed-schema.ts'
import { commandLine, type MigrateInvocation } from './program.ts'

type Main = MainContext<MigrateConfig, MigrateInvocation>

/**
 * Runs one command, and resolves with its exit code if that is not 0. A mistake in the command line is printed as by the parser.
 * Every other failure is thrown, and logged as by each deployed process.
 */
export async function runCommand(main: Main): Promise<ExitCode | void> {
  const { command, values, args, global } = main.args
  const output = { program: commandLine.name, isJson: global.json === true }
  const { stdout, stderr, env } = process
  const print = createPrinter({ ...output, stdout, stderr, env })
  try {
    const code = await command.run({ values, args, print, ...surroundingsOf(main, 'queue') })
    return code === undefined ? undefined : toExitCode(code)
  } catch (error) {
    if (!(error instanceof Failure)) throw explainFailure(error, main.signal)
    stderr.write(failureText(error, output))
    return toExitCode(error.exitCode)
  }
}

/** The exit code of the process: a deployment needs no finer ones. */
function toExitCode(code: Failure['exitCode']): ExitCode {
  if (code === commandExitCodes.ok) return exitCodes.ok
  return code === commandExitCodes.usage ? exitCodes.configuration : exitCodes.failure
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

function surroundingsOf(main: Main, migrationSet: MigrationSetName): Surroundings {
  const { config, logger, signal } = main
  return {
    config,
    schema: managedSchema(migrationSet, config),
    onStepProgress: followSteps(logger),
    retry: (attempt) =>
      waitWhileUnavailable({
        attempt,
        logger,
        signal,
        waitMsMax: config.MIGRATE_WAIT_MS,
        ...(migrationSet === 'outbox' ? { database: outboxDatabase(config) } : {}),
      }),
    outbox: () => surroundingsOf(main, 'outbox'),
  }
}

function exitCodeOf(error: QueueError): ExitCode {
  return error.code === 'schema_mismatch' ? exitCodes.schema : exitCodes.failure
}
