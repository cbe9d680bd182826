/** What jest tells a reporter at the end of a run, as far as it is read here. */
export interface RunResults {
  readonly numPassedTests: number
  readonly numFailedTests: number
  readonly numRuntimeErrorTestSuites: number
  readonly numPendingTests: number
  readonly numTodoTests: number
  readonly testResults: readonly FileResults[]
}

export interface FileResults {
  readonly testFilePath: string
  /** Milliseconds since the epoch; both 0 for a file that did not run. */
  readonly perfStats: { readonly start: number; readonly end: number }
  /** Why the file did not run at all. */
  readonly testExecError?: unknown
  readonly failureMessage?: string | null
  readonly testResults: readonly {
    readonly status: string
    readonly fullName: string
    readonly failureMessages: readonly string[]
  }[]
}

export interface Failure {
  /** From the folder of the package. */
  readonly file: string
  readonly test: string
  /** How the failure message begins, without colours and empty lines. */
  readonly message: string
}

export interface FileDuration {
  /** From the folder of the package. */
  readonly file: string
  readonly ms: number
}

export const failureLinesMax: number

export default class CountReporter {
  constructor(globalConfig: { readonly rootDir: string })
  onRunComplete(contexts: unknown, results: RunResults): void
}

export function countsOf(results: RunResults): { passed: number; failed: number; skipped: number }
export function failuresOf(results: RunResults, directory: string): Failure[]
