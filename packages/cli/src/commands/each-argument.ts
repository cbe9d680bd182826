import { type ExitCode, exitCodes } from '@queue/commands'
import type { Context } from '../command.ts'
import { type Backend } from '../backends/backend.ts'
import { toFailure } from '../backends/to-failure.ts'

/**
 * Does something for each argument, one after the other. An argument that is refused does not stop the others: its
 * failure is printed. Returns the exit code of the first failure.
 */
export async function eachArgument(
  { args, connect, print, signal }: Context<unknown>,
  act: (backend: Backend, argument: string) => Promise<void>,
): Promise<ExitCode | void> {
  const backend = await connect()
  let code: ExitCode | undefined
  for (const argument of args) {
    signal.throwIfAborted()
    try {
      await act(backend, argument)
    } catch (error) {
      const failure = toFailure(error)
      // Any other failure would also happen to the other arguments.
      const isAboutThisOne = failure.exitCode === exitCodes.notFound || failure.exitCode === exitCodes.refused
      if (args.length === 1 || !isAboutThisOne) throw failure
      print.failure(failure, argument)
      code ??= failure.exitCode
    }
  }
  return code
}
