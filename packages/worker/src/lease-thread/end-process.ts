const ignoredAfterMs = 500
const exitCode = 137

/**
 * Ends a process whose main event loop is blocked. `process.exit` in a thread would only end the thread. The kernel ignores a
 * SIGKILL that the first process of a PID namespace sends to itself, and in most containers node is that process. If the
 * process is still alive afterwards, its main thread is forced to exit.
 */
export function endProcess(): void {
  process.kill(process.pid, 'SIGKILL')
  setTimeout(() => void exitFromMainThread(), ignoredAfterMs)
}

/** Exits by way of the inspector, which interrupts even an endless loop. 137 is the code with which a shell reports a SIGKILL. */
export async function exitFromMainThread(): Promise<void> {
  const { Session } = await import('node:inspector')
  const session = new Session()
  session.connectToMainThread()
  session.post('Runtime.evaluate', { expression: `process.reallyExit(${exitCode})` })
}
