import { type LogFormat, type LogLevel, type Logger, createLogger, flushLogger } from '@queue/telemetry'
import { parseConfig } from './config/parse-config.ts'
import type { ConfigSchema } from './config/variable.ts'
import { ConfigError, type ExitCode, ExitError, exitCodes } from './exit-code.ts'
import { type ProgramDescription, helpText } from './help-text.ts'
import { assertNodeVersion } from './versions.ts'
import { watchProcess } from './watch-process.ts'

/** The part of a configuration that runMain itself needs: spread `logVariables` into the schema. */
export type LogConfig = {
  readonly LOG_LEVEL: LogLevel
  readonly LOG_FORMAT: LogFormat | 'auto'
  readonly NODE_ENV: string
}

/** What a program says without running: standard output if the exit code is 0, otherwise standard error. */
export interface Answer {
  readonly exitCode: ExitCode
  readonly text: string
}

export interface Program<Config extends LogConfig, Arguments> extends ProgramDescription {
  readonly config: ConfigSchema<Config>
  /** Answers a command line that runs nothing, and needs no configuration. Default: `--help` and `--version`. */
  readonly answer?: (args: readonly string[]) => Answer | undefined
  /** Reads the command line; throws ConfigError. Without it the program takes no arguments. */
  readonly parseArguments?: (args: readonly string[]) => Arguments
  /** The stream of the log. Default: standard output. Set it if the program writes its results there. */
  readonly logStream?: NodeJS.WritableStream
}

/** The arguments of a program's main function. */
export interface MainContext<Config, Arguments> {
  readonly config: Config
  readonly args: Arguments
  readonly logger: Logger
  /** Aborted at the first SIGINT or SIGTERM: finish the work in progress, and return. */
  readonly signal: AbortSignal
}

/**
 * Runs a process from its start to its exit: `--help` and `--version`, the configuration, the logger, signals, the exit code.
 * Call it once, at the top level of a program's main file; the process ends with it.
 *
 * - `main` returns: exit 0, or the code that it returns, also after a signal.
 * - `main` throws an ExitError: one line, and the code of that error. Any other error: one line with the stack,
 *   exit 1. The reason of the signal as an error is a graceful stop: exit 0.
 * - Invalid configuration, or a Node version that is too old: one line on standard error for each fault, exit 2.
 * - A second signal exits at once, with 128 + its number.
 * - An uncaught error: one line with the stack, exit 1.
 *
 * The log is flushed before every exit, except after a second signal.
 */
export async function runMain<Config extends LogConfig, Arguments = undefined>(
  program: Program<Config, Arguments>,
  main: (context: MainContext<Config, Arguments>) => Promise<ExitCode | void>,
): Promise<never> {
  for (const stream of [process.stdout, process.stderr]) stream.on('error', ignoreLostReader)
  const start = prepare(program, process.argv.slice(2))
  if ('exitCode' in start) {
    const stream = start.exitCode === exitCodes.ok ? process.stdout : process.stderr
    await writeOut({ stream, text: start.text })
    return process.exit(start.exitCode)
  }
  const exit = exitOnce(start.logger)
  const { signal } = watchProcess({ logger: start.logger, onFatal: () => void exit(exitCodes.failure) })
  const code = await runToEnd({ logger: start.logger, signal }, () => main({ ...start, signal }))
  return exit(code)
}

type Start<Config, Arguments> =
  | Answer
  | { readonly config: Config; readonly args: Arguments; readonly logger: Logger }

/** Does everything before the first log line. If the process cannot continue, returns the text and the code to exit with. */
function prepare<Config extends LogConfig, Arguments>(
  program: Program<Config, Arguments>,
  argv: readonly string[],
): Start<Config, Arguments> {
  const answer = (program.answer ?? answerFlags(program))(argv)
  if (answer !== undefined) return answer
  try {
    assertNodeVersion(process.versions.node)
    const args = (program.parseArguments ?? refuseArguments)(argv) as Arguments
    const config = parseConfig(program.config, process.env)
    return { config, args, logger: createProcessLogger(program, config) }
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    const text = error.lines.map((line) => `${program.name}: ${line}\n`).join('')
    return { exitCode: error.exitCode, text }
  }
}

function answerFlags(program: ProgramDescription) {
  return (argv: readonly string[]): Answer | undefined => {
    if (argv.includes('--help') || argv.includes('-h'))
      return { exitCode: exitCodes.ok, text: helpText(program) }
    return argv.includes('--version') ? { exitCode: exitCodes.ok, text: `${program.version}\n` } : undefined
  }
}

interface Output {
  readonly stream: NodeJS.WritableStream
  readonly text: string
}

/** Resolves when the text, and everything written before it, has been passed to the operating system. */
function writeOut({ stream, text }: Output): Promise<void> {
  return new Promise((resolve) => {
    stream.write(text, () => resolve())
  })
}

/** A reader that closes early (`| head`) is not an error of the program. */
function ignoreLostReader(): void {}

/** Flushes log and results, and exits. The first code is used, because it belongs to the first cause. */
function exitOnce(logger: Logger): (code: ExitCode) => Promise<never> {
  let exiting: Promise<never> | undefined
  return (code) => {
    exiting ??= flushLogger(logger)
      .then(() => writeOut({ stream: process.stdout, text: '' }))
      .then(() => process.exit(code))
    return exiting
  }
}

function refuseArguments(args: readonly string[]): undefined {
  if (args.length === 0) return undefined
  throw new ConfigError([
    `${JSON.stringify(args[0])} is not an argument of this program; accepted: --help, --version`,
  ])
}

interface LoggedProgram {
  readonly name: string
  readonly logStream?: NodeJS.WritableStream
}

function createProcessLogger(program: LoggedProgram, config: LogConfig): Logger {
  const automatic = config.NODE_ENV === 'production' ? 'json' : 'pretty'
  return createLogger({
    service: program.name,
    level: config.LOG_LEVEL,
    format: config.LOG_FORMAT === 'auto' ? automatic : config.LOG_FORMAT,
    ...(program.logStream ? { stream: program.logStream } : {}),
  })
}

async function runToEnd(
  context: { readonly logger: Logger; readonly signal: AbortSignal },
  main: () => Promise<ExitCode | void>,
): Promise<ExitCode> {
  const { logger, signal } = context
  try {
    return (await main()) ?? exitCodes.ok
  } catch (error) {
    if (signal.aborted && error === signal.reason) return exitCodes.ok
    if (!(error instanceof ExitError)) {
      logger.error('the process failed', { error })
      return exitCodes.failure
    }
    logger.error(error.message)
    return error.exitCode
  }
}
