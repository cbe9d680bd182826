import type { Context } from './command.ts'
import { commands } from './commands/index.ts'
import type { Backend } from './backends/backend.ts'
import { type Environment, openBackend } from './backends/open-backend.ts'
import { toFailure } from './backends/to-failure.ts'
import { type ExitCode, exitCodes } from './exit-codes.ts'
import type { Failure } from './failure.ts'
import { helpText } from './help.ts'
import { createPrinter, type Output } from './output/printer.ts'
import { safeText } from './output/safe-text.ts'
import { type Invocation, parseInvocation } from './parse.ts'

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
  const { argv, stdout, signal, version } = processContext
  try {
    const invocation = parseInvocation(argv)
    if (invocation.kind === 'version') stdout.write(`${version}\n`)
    else if (invocation.kind === 'help') stdout.write(helpText(invocation.about))
    else return await runCommand(invocation, processContext)
    return exitCodes.ok
  } catch (error) {
    if (signal.aborted) return signal.reason as ExitCode
    const failure = toFailure(error)
    showFailure(failure, processContext)
    return failure.exitCode
  }
}

async function runCommand(
  { command, values, global, args }: Extract<Invocation, { kind: 'run' }>,
  { env, stdin, stdout, stderr, signal }: ProcessContext,
): Promise<ExitCode> {
  const print = createPrinter({ stdout, stderr, env, isJson: global.json === true })
  let opening: Promise<Backend> | undefined
  const context: Context<unknown> = {
    values,
    args,
    print,
    commands,
    signal,
    connect: () => (opening ??= openBackend(global, env)),
    readInput: async () => {
      const chunks: Buffer[] = []
      for await (const chunk of stdin) chunks.push(Buffer.from(chunk))
      return Buffer.concat(chunks).toString()
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

function showFailure(failure: Failure, { argv, stderr }: ProcessContext): void {
  const { error, issues, advice, message } = failure
  if (argv.includes('--json')) {
    const body = { error, detail: message, ...(issues.length > 0 && { issues }), ...(advice && { advice }) }
    stderr.write(`${JSON.stringify(body)}\n`)
    return
  }
  const lines = issues.length > 1 ? issues.map(({ path, message: text }) => `\n  ${path}: ${text}`) : []
  const detail = lines.length > 0 ? `${lines.length} errors:` : message
  stderr.write(`queue: ${safeText(detail)}${lines.map((line) => `\n  ${safeText(line.trim())}`).join('')}\n`)
  if (advice !== undefined) stderr.write(`  ${advice}\n`)
}
