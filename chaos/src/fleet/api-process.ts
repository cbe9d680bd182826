import { once } from 'node:events'
import { type ForkedProgram, forkProgram } from '../run/fork-program.ts'

/** The API in a process of its own, as in a deployment. */
export interface ApiProcess {
  readonly pid: number
  readonly url: string
  /** Stops it gracefully, and resolves with its exit code. */
  stop(): Promise<number | null>
  /** Kills it, and resolves when it has ended. */
  kill(): Promise<void>
}

/** The configuration of the API without addresses, and a defect to plant in it. */
export type ApiProcessOptions = Pick<ForkedProgram, 'defect'> &
  Required<Pick<ForkedProgram, 'env'>> &
  Partial<Pick<ForkedProgram, 'program'>>

/** As it is deployed: it takes less memory than from its sources. */
export const builtApi = new URL('../../../apps/api/dist/main.js', import.meta.url)
const source = new URL('../../../apps/api/src/main.ts', import.meta.url)
const anyPort = '127.0.0.1:0'

/** Starts the API. Rejects if the process ends before it is ready. */
export async function startApiProcess({
  env,
  defect,
  program = source,
}: ApiProcessOptions): Promise<ApiProcess> {
  const child = forkProgram({
    program,
    defect,
    stderr: 'inherit',
    env: { ...env, API_BIND_ADDR: anyPort, API_OPS_BIND_ADDR: anyPort, LOG_LEVEL: 'error' },
  })
  const ended = once(child, 'exit') as Promise<[number | null, NodeJS.Signals | null]>
  const ready = once(child, 'message') as Promise<[{ readonly url: string }]>
  const early = ended.then(([code, signal]): never => {
    throw new Error(`the API ended before it was ready: ${signal ?? `exit code ${code}`}`)
  })
  const [{ url }] = await Promise.race([ready, early])
  early.catch(() => undefined)
  if (child.pid === undefined) throw new Error('the API has no process')
  return {
    pid: child.pid,
    url,
    stop: async () => {
      child.kill('SIGTERM')
      const [code] = await ended
      return code
    },
    kill: async () => {
      child.kill('SIGKILL')
      await ended
    },
  }
}
