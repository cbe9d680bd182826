import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

const program = fileURLToPath(new URL('busy-process.ts', import.meta.url))

/** A process whose event loop is blocked forever, and the address of its endpoints. */
export async function startBusyProcess(): Promise<{ readonly url: string; kill(): Promise<void> }> {
  const child = spawn(process.execPath, ['--conditions=@queue/source', program], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: {},
    timeout: 240_000,
    killSignal: 'SIGKILL',
  })
  const closed = once(child, 'close')
  let printed = ''
  for await (const chunk of child.stdout) {
    printed += String(chunk)
    if (printed.includes('\n')) break
  }
  const kill = async (): Promise<void> => {
    child.kill('SIGKILL')
    await closed
  }
  return { url: printed.trim(), kill }
}
