/** The exit codes. docs/cli.md explains them. */
export const exitCodes = {
  ok: 0,
  /** Any failure without a code of its own. */
  failed: 1,
  /** The command line, a filter, a cursor or the job is invalid. Repeating the command does not help. */
  usage: 2,
  /** The database schema is missing, older or newer than this release. */
  schema: 3,
  /** The job, dead letter, queue, key or other object does not exist. */
  notFound: 4,
  /** The state of the object does not allow this. */
  refused: 5,
  /** The API key is missing, invalid or lacks a permission, or the database refuses the user. */
  notPermitted: 6,
  /** Nothing answered, or the server is overloaded. Repeating the command later may help. */
  unavailable: 7,
  /** `wait --timeout`: the job did not end in time. */
  timedOut: 8,
  /** `wait`, `follow`: the job failed or was cancelled. */
  jobFailed: 9,
  /** SIGINT. */
  interrupted: 130,
  /** SIGTERM. */
  terminated: 143,
} as const

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes]
