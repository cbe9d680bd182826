import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { networkEnvironment } from '@queue/dev-postgres'

/** A process that the example has started. */
export interface RunningProcess {
  readonly pid: number
  /** Returns its output so far. */
  output(): string
  kill(signal: NodeJS.Signals): Promise<void>
}

/** The import conditions of this process, such as the one with which packages run from their sources. */
const conditions = process.execArgv.filter((argument) => argument.startsWith('--conditions='))

function startProcess(script: string, env: NodeJS.ProcessEnv, execArgv: readonly string[]): RunningProcess {
  const child: ChildProcess = spawn(process.execPath, [...execArgv, script], {
    env: { PATH: process.env['PATH'], ...networkEnvironment(), ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const closed = once(child, 'close')
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream?.on('data', (chunk: Buffer) => (output += chunk.toString()))
  return {
    pid: child.pid ?? 0,
    output: () => output,
    kill: async (signal) => {
      child.kill(signal)
      await closed
    },
  }
}

/** Waits for output that matches `pattern`. Resolves with the match; throws after half a minute. */
async function untilOutput(child: RunningProcess, pattern: RegExp): Promise<RegExpExecArray> {
  for (let tries = 0; tries < 600; tries += 1) {
    const match = pattern.exec(child.output())
    if (match !== null) return match
    await sleep(50)
  }
  await child.kill('SIGKILL')
  throw new Error(`a process did not start in time. Its output: ${child.output()}`)
}

export interface RelaySettings {
  readonly ordersUrl: string
  readonly apiUrl: string
  readonly env?: NodeJS.ProcessEnv
  readonly execArgv?: readonly string[]
}

/** Starts a relay. Resolves when it is running. */
export async function startRelay({
  ordersUrl,
  apiUrl,
  env,
  execArgv,
}: RelaySettings): Promise<RunningProcess> {
  const relay = startProcess(
    fileURLToPath(new URL('relay.ts', import.meta.url)),
    { ORDERS_DATABASE_URL: ordersUrl, QUEUE_API_URL: apiUrl, ...env },
    execArgv ?? conditions,
  )
  await untilOutput(relay, /relaying as/)
  return relay
}

/** Starts the built API of the queue on a free port. Resolves when it is ready. */
export async function startApi(queueUrl: string): Promise<RunningProcess & { readonly url: string }> {
  const api = startProcess(
    fileURLToPath(new URL('../../../apps/api/dist/main.js', import.meta.url)),
    {
      LOG_FORMAT: 'json',
      API_BIND_ADDR: '127.0.0.1:0',
      API_OPS_BIND_ADDR: '127.0.0.1:0',
      DATABASE_URL: queueUrl,
    },
    [],
  )
  const [, url = ''] = await untilOutput(api, /"url":"([^"]+)"/)
  while (!(await fetch(`${url}/readyz`)).ok) await sleep(50)
  return { ...api, url }
}
