import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { createTestDatabase, type TestDatabase } from '@queue/testing'
import { launchStack, type StackOptions } from '../stack/launch-stack.ts'

let database: TestDatabase
let directory: string
beforeAll(async () => {
  database = await createTestDatabase()
  directory = await mkdtemp(path.join(tmpdir(), 'queue-stack-'))
})

afterAll(async () => {
  await database.close()
  await rm(directory, { recursive: true, force: true })
})

const stackOptions = (env: NodeJS.ProcessEnv): StackOptions => ({
  directory,
  logs: 'files',
  env: {
    DATABASE_URL: database.url,
    API_BIND_ADDR: '127.0.0.1:0',
    API_OPS_BIND_ADDR: '127.0.0.1:0',
    WORKER_METRICS_BIND_ADDR: '127.0.0.1:0',
    // The log settings must not affect the detection of readiness.
    LOG_LEVEL: 'error',
    LOG_FORMAT: 'pretty',
    ...env,
  },
  onStep: () => undefined,
  signal: new AbortController().signal,
})

/** Starts a server that does not belong to the stack and reports that it is ready. */
async function startOtherServer() {
  const server = createServer((_request, response) => response.end('{"status":"ready"}')).listen(
    0,
    '127.0.0.1',
  )
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return { address: `127.0.0.1:${port}`, close: () => new Promise((resolve) => server.close(resolve)) }
}

describe('the development stack', () => {
  test('is ready when both processes report it, at the addresses that they report', async () => {
    const stack = await launchStack(stackOptions({}))
    try {
      for (const url of [stack.apiUrl, stack.workerUrl]) {
        expect(url).toMatch(/^http:\/\/127\.0\.0\.1:[1-9]\d*$/)
        expect((await fetch(`${url}/readyz`)).status).toBe(200)
      }
    } finally {
      await stack.stop()
    }
  })

  test.each([
    ['API_BIND_ADDR', 'api'],
    ['API_OPS_BIND_ADDR', 'api'],
    ['WORKER_METRICS_BIND_ADDR', 'worker'],
  ])('is not ready if another server listens at %s', async (variable, name) => {
    const otherServer = await startOtherServer()
    try {
      const launched = launchStack(stackOptions({ [variable]: otherServer.address })).then(async (stack) => {
        await stack.stop()
        return 'ready'
      })
      await expect(launched).rejects.toThrow(`${name} ended before it was ready`)
    } finally {
      await otherServer.close()
    }
  })
})
