import type { Context } from './command.ts'
import { commands } from './commands/index.ts'
import type { Door } from './doors/door.ts'
import { type Environment, openDoor } from './doors/open-door.ts'
import { toFailure } from './doors/to-failure.ts'
import { type ExitCode, exitCodes } from './exit-codes.ts'
import type { Failure } from './failure.ts'
import { helpText } from './help.ts'
import { createPrinter, type Output } from './output/printer.ts'
import { safeText } from './output/safe-text.ts'
import { type Invocation, parseInvocation } from './parse.ts'

/** What a run of the command has to do with the process around it. */
export interface Surroundings {
  /** What follows the name of the program. */
  readonly argv: readonly string[]
  readonly env: Environment
  readonly stdin: AsyncIterable<Buffer | string>
  readonly stdout: Output
  readonly stderr: Output
  /** Aborted by SIGINT and SIGTERM, with the exit code as its reason. */
  readonly signal: AbortSignal
  readonly version: string
}

/** Runs one command line to its end, and gives the exit code. Never throws. */
export async function runCli(surroundings: Surroundings): Promise<ExitCode> {
  const { argv, stdout, signal, version } = surroundings
  try {
    const invocation = parseInvocation(argv)
    if (invocation.kind === 'version') stdout.write(`${version}\n`)
    else if (invocation.kind === 'help') stdout.write(helpText(invocation.about))
    else return await runCommand(invocation, surroundings)
    return exitCodes.ok
  } catch (error) {
    if (signal.aborted) return signal.reason as ExitCode
    const failure = toFailure(error)
    showFailure(failure, surroundings)
    return failure.exitCode
  }
}

async function runCommand(
  { command, values, global, words }: Extract<Invocation, { kind: 'run' }>,
  { env, stdin, stdout, stderr, signal }: Surroundings,
): Promise<ExitCode> {
  const print = createPrinter({ stdout, stderr, env, isJson: global.json === true })
  let opening: Promise<Door> | undefined
  const context: Context<unknown> = {
    values,
    words,
    print,
    commands,
    signal,
    door: () => (opening ??= openDoor(global, env)),
    readInput: async () => {
      const pieces: Buffer[] = []
      for await (const piece of stdin) pieces.push(Buffer.from(piece))
      return Buffer.concat(pieces).toString()
    },
  }
  try {
    return (await stoppedBy(signal, command.run(context))) ?? exitCodes.ok
  } finally {
    print.endProgress()
    const door = await opening?.catch(() => undefined)
    // A statement that is under way must not keep a user who has pressed Ctrl-C.
    if (signal.aborted) void door?.close().catch(() => undefined)
    else await door?.close()
  }
}

/** Ctrl-C ends a command even where it waits for something that takes no signal. */
async function stoppedBy<Result>(signal: AbortSignal, running: Promise<Result>): Promise<Result> {
  const stopped = Promise.withResolvers<never>()
  const stop = (): void => {
    // A command that can say where it has come to gets a moment for it.
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

function showFailure(failure: Failure, { argv, stderr }: Surroundings): void {
  const { error, issues, advice, message } = failure
  if (argv.includes('--json')) {
    const body = { error, detail: message, ...(issues.length > 0 && { issues }), ...(advice && { advice }) }
    stderr.write(`${JSON.stringify(body)}\n`)
    return
  }
  const places = issues.length > 1 ? issues.map(({ path, message: text }) => `\n  ${path}: ${text}`) : []
  const detail = places.length > 0 ? `${places.length} things are wrong:` : message
  stderr.write(
    `queue: ${safeText(detail)}${places.map((place) => `\n  ${safeText(place.trim())}`).join('')}\n`,
  )
  if (advice !== undefined) stderr.write(`  ${advice}\n`)
}
