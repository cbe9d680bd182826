import { type ExitCode, exitCodes } from './exit-codes.ts'

/** One invalid part of the input: an option, or a member of the payload. */
export interface Issue {
  /** `--created-after`, or `/payload/to`. */
  readonly path: string
  readonly message: string
}

export interface FailureOptions {
  /** A code that scripts can compare, such as `usage` or a code of docs/errors.md. */
  readonly error: string
  readonly detail: string
  /** Default: that of a failure without a code of its own. */
  readonly exitCode?: ExitCode | undefined
  readonly issues?: readonly Issue[] | undefined
  /** What to do, in a sentence. */
  readonly advice?: string | undefined
}

/** A failure of a command: the reason, the advice and the exit code. */
export class Failure extends Error {
  override readonly name = 'Failure'
  readonly error: string
  readonly exitCode: ExitCode
  readonly issues: readonly Issue[]
  readonly advice: string | undefined

  constructor({ error, detail, exitCode, issues = [], advice }: FailureOptions) {
    super(detail)
    this.error = error
    this.exitCode = exitCode ?? exitCodes.failed
    this.issues = issues
    this.advice = advice
  }
}

/** An error in the command line. */
export function usageFailure(detail: string, advice?: string): Failure {
  return new Failure({ error: 'usage', detail, exitCode: exitCodes.usage, advice })
}
