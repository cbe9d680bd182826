const ignoredAfterMs = 500
const exitCode = 137

/**
 * Ends the process whose main loop can neither log nor exit; `process.exit` in a thread would end the thread alone.
 * The kernel ignores a SIGKILL that the first process of a PID namespace sends to itself, and that is what node is in
 * most containers: whoever is still there then exits by way of the main thread, in the middle of what it runs.
 */
export function endProcess(): void {
  process.kill(process.pid, 'SIGKILL')
  setTimeout(() => void exitFromMainThread(), ignoredAfterMs)
}

/** An inspector's question interrupts even a loop that never ends; 137 is what a SIGKILL looks like to a shell. */
export async function exitFromMainThread(): Promise<void> {
  const { Session } = await import('node:inspector')
  const session = new Session()
  session.connectToMainThread()
  session.post('Runtime.evaluate', { expression: `process.reallyExit(${exitCode})` })
}
