import {
  createPrinter,
  type ExitCode,
  exitCodes,
  failureText,
  type Invocation,
  type Output,
  readCommandLine,
  writeTo,
} from '@queue/commands'
import type { Backend } from './backends/backend.ts'
import { type Environment, openBackend } from './backends/open-backend.ts'
import { toFailure } from './backends/to-failure.ts'
import type { Context, Surroundings } from './command.ts'
import { statusColors } from './commands/reads/jobs.ts'
import { program } from './program.ts'

/** The process around a run of the command. */
export interface ProcessContext {
  /** The arguments after the name of the program. */
  readonly argv: readonly string[]
  readonly env: Environment
  readonly stdin: AsyncIterable<Buffer | string>
  readonly stdout: Output
  readonly stderr: Output
  /** Aborted by SIGINT and SIGTERM. The reason is the exit code. */
  readonly signal: AbortSignal
  readonly version: string
}

/** Runs one command line, and returns the exit code. Never throws. */
export async function runCli(processContext: ProcessContext): Promise<ExitCode> {
  const { argv, stdout, stderr, signal, version } = processContext
  try {
    const read = readCommandLine(program, { argv, version })
    if (read.kind === 'run') return await runCommand(read, processContext)
    await writeTo(read.exitCode === exitCodes.ok ? stdout : stderr, read.text)
    return read.exitCode
  } catch (error) {
    if (signal.aborted) return signal.reason as ExitCode
    const failure = toFailure(error)
    stderr.write(failureText(failure, { program: program.name, isJson: argv.includes('--json') }))
    return failure.exitCode
  }
}

type CliInvocation = Invocation<Surroundings, typeof program.globalOptions>

async function runCommand(
  { command, values, global, args }: CliInvocation,
  { env, stdin, stdout, stderr, signal }: ProcessContext,
): Promise<ExitCode> {
  const print = createPrinter({
    program: program.name,
    stdout,
    stderr,
    env,
    isJson: global.json === true,
    colors: statusColors,
  })
  let opening: Promise<Backend> | undefined
  const context: Context<unknown> = {
    values,
    args,
    print,
    signal,
    connect: (preferred) => (opening ??= openBackend(global, env, preferred)),
    readInput: async () => {
      const chunks: Buffer[] = []
      for await (const chunk of stdin) chunks.push(Buffer.from(chunk))
      return Buffer.concat(chunks)
    },
  }
  try {
    return (await stoppedBy(signal, command.run(context))) ?? exitCodes.ok
  } finally {
    print.endProgress()
    const backend = await opening?.catch(() => undefined)
    // After Ctrl-C, the process must not wait for a running statement.
    if (signal.aborted) void backend?.close().catch(() => undefined)
    else await backend?.close()
  }
}

/** Lets Ctrl-C end a command even while it waits for something that takes no signal. */
async function stoppedBy<Result>(signal: AbortSignal, running: Promise<Result>): Promise<Result> {
  const stopped = Promise.withResolvers<never>()
  const stop = (): void => {
    // A command that can report its progress gets a moment for that.
    setTimeout(() => stopped.reject(signal.reason), stopGraceMs).unref()
  }
  if (signal.aborted) stop()
  signal.addEventListener('abort', stop, { once: true })
  try {
    return await Promise.race([running, stopped.promise])
  } finally {
    signal.removeEventListener('abort', stop)
  }
}

const stopGraceMs = 2_000
