/** What jest tells a reporter at the end of a run, as far as it is read here. */
export interface RunResults {
  readonly numPassedTests: number
  readonly numFailedTests: number
  readonly numRuntimeErrorTestSuites: number
  readonly numPendingTests: number
  readonly numTodoTests: number
}

export default class CountReporter {
  constructor(globalConfig: { readonly rootDir: string })
  onRunComplete(contexts: unknown, results: RunResults): void
}

export function countsOf(results: RunResults): { passed: number; failed: number; skipped: number }
