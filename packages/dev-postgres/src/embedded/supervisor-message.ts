/** The command that a supervisor receives once, right after its start: the server to run. */
export interface StartServer {
  readonly postgres: string
  readonly args: readonly string[]
  readonly env: NodeJS.ProcessEnv
  readonly identity: { readonly uid?: number; readonly gid?: number }
  readonly logFile: string
  /** The files and folders to delete when the server was stopped; empty if its data is persistent. */
  readonly removeWhenStopped: readonly string[]
}
