/** The exit codes of the command; docs/cli.md says what each means. */
export const exitCodes = {
  ok: 0,
  /** Something failed that none of the others names. */
  failed: 1,
  /** The command line, a filter, a cursor or the job to be enqueued is wrong. Repeating it does not help. */
  usage: 2,
  /** The database's schema is missing, older or newer than this release accepts. */
  schema: 3,
  /** There is no such job, dead letter, queue or key. */
  notFound: 4,
  /** What is asked for exists, and its state does not allow this. */
  refused: 5,
  /** The key is missing, wrong or lacks a permission, or the database refuses the user. */
  notPermitted: 6,
  /** Nothing answered, or too much waits already. Repeating it later may help. */
  unavailable: 7,
  /** `wait --timeout`: the job had not ended. */
  timedOut: 8,
  /** `wait`, `follow`: the job has failed or was cancelled. */
  jobFailed: 9,
  /** SIGINT. */
  interrupted: 130,
  /** SIGTERM. */
  terminated: 143,
} as const

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes]
