import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { compileCache, networkEnvironment } from '@queue/test-database'
import { createTestDatabase, eventually, type TestDatabase } from '@queue/testing'

/** The built API, as it is deployed: a process of its own, on a database of its own. */
export interface Api {
  readonly url: string
  readonly database: TestDatabase
  close(): Promise<void>
}

const main = new URL('../../../../apps/api/dist/main.js', import.meta.url)

/** Starts it on a free port and waits until it is ready. */
export async function startApi(env: Readonly<Record<string, string>> = {}): Promise<Api> {
  const database = await createTestDatabase()
  const child = spawn(process.execPath, [main.pathname], {
    env: {
      PATH: process.env['PATH'],
      ...networkEnvironment(),
      ...compileCache,
      LOG_FORMAT: 'json',
      API_BIND_ADDR: '127.0.0.1:0',
      API_OPS_BIND_ADDR: '127.0.0.1:0',
      DATABASE_URL: database.urlAs('api'),
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const closed = once(child, 'close')
  const close = async (): Promise<void> => {
    child.kill('SIGKILL')
    await closed
    await database.close()
  }
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += String(chunk)))
  try {
    const url = await eventually(() => /"url":"([^"]+)"/.exec(output)?.[1], { what: 'the API that listens' })
    await eventually(async () => (await fetch(`${url}/readyz`)).ok, { what: 'the API that is ready' })
    return { url, database, close }
  } catch (cause) {
    await close()
    throw new Error(`the API did not start: ${output}`, { cause })
  }
}
