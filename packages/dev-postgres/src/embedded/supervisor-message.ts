/** Sent once to a supervisor, right after it was started: what to run. */
export interface StartServer {
  readonly postgres: string
  readonly args: readonly string[]
  readonly env: NodeJS.ProcessEnv
  readonly identity: { readonly uid?: number; readonly gid?: number }
  readonly logFile: string
  /** Files and folders to delete once the server was stopped; none when its data stays. */
  readonly removeWhenStopped: readonly string[]
}
