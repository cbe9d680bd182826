const ignoredAfterMs = 500
const exitCode = 137

/**
 * Ends the process whose main loop can neither log nor exit; `process.exit` in a thread would end the thread alone.
 * The kernel ignores a SIGKILL that the first process of a PID namespace sends to itself, and node is that process in
 * most containers. A process that is still alive afterwards is made to exit from its main thread, whatever that runs.
 */
export function endProcess(): void {
  process.kill(process.pid, 'SIGKILL')
  setTimeout(() => void exitFromMainThread(), ignoredAfterMs)
}

/** The inspector interrupts even an endless loop. 137 is the exit code by which a shell reports a SIGKILL. */
export async function exitFromMainThread(): Promise<void> {
  const { Session } = await import('node:inspector')
  const session = new Session()
  session.connectToMainThread()
  session.post('Runtime.evaluate', { expression: `process.reallyExit(${exitCode})` })
}
