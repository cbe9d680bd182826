import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { connect, type Socket } from 'node:net'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { createTestDatabase, eventually, type TestDatabase } from '@queue/testing'
import { operations } from '../../src/operations/index.ts'
import { type ApiProcess, startApiProcess } from '../support/api-process.ts'

const token = 'a-token-of-these-tests'
/** `QUEUE_TEST_SCALE=20` is the full size: as many connections as a process allows by default. */
const connectionsMax = Math.min(2_000, 100 * Number(process.env['QUEUE_TEST_SCALE'] ?? 1))
/** What a process may grow by at all: code that is compiled, and garbage that is not collected yet. */
const growthBytesMax = 60 * 1_048_576
/** What a connection may hold: its headers, what the kernel has given of its body, and the objects of Node. */
const connectionBytesMax = 76 * 1_024

let database: TestDatabase
let api: ApiProcess
let url: URL

beforeAll(async () => {
  database = await createTestDatabase()
  api = startApiProcess({
    DATABASE_URL: database.urlAs('api'),
    API_TOKEN: token,
    API_KEYS: 'yes',
    API_MAX_CONNECTIONS: String(connectionsMax),
  })
  url = new URL(await api.url())
  await eventually(async () => (await fetch(new URL('/readyz', url))).ok, { what: 'ready' })
})

afterAll(async () => {
  api.signal('SIGTERM')
  await api.ended()
  await database.close()
})

/** Every route, and those of the dashboard. */
const routes = [
  ...operations.map(({ method, path }) => `${method.toUpperCase()} ${path.replaceAll(/\{\w+\}/g, 'x')}`),
  'POST /dashboard/session',
  'POST /dashboard/session/issuer',
  'DELETE /dashboard/session',
  'GET /dashboard',
]

/** Sends the largest headers that are accepted, and the beginning of a body that does not end. */
async function flood(route: string): Promise<Socket> {
  const socket = connect(Number(url.port), '127.0.0.1')
  socket.on('error', () => undefined).resume()
  await once(socket, 'connect').catch(() => undefined)
  socket.write(
    `${route} HTTP/1.1\r\nHost: ${url.host}\r\nOrigin: ${url.origin}\r\nContent-Type: application/json\r\n` +
      `X-Padding: ${'x'.repeat(14_000)}\r\nContent-Length: 1048576\r\n\r\n{"key":"${'k'.repeat(60_000)}`,
  )
  return socket
}

/** The resident memory of the process, in bytes. */
async function memoryBytes(pid: number): Promise<number> {
  const [, pages] = (await readFile(`/proc/${pid}/statm`, 'utf8')).split(' ')
  return Number(pages) * 4_096
}

// The memory of another process can be read on Linux only.
const onLinux = process.platform === 'linux' ? test : test.skip

onLinux(
  'whoever has no credential cannot make the process grow, whatever is sent to whichever route',
  async () => {
    const me = async (): Promise<number> => {
      const answer = await fetch(new URL('/me', url), {
        headers: { authorization: `Bearer ${token}`, connection: 'close' },
      })
      await answer.arrayBuffer()
      return answer.status
    }
    for (let n = 0; n < 20; n += 1) expect(await me()).toBe(200)
    const before = await memoryBytes(api.pid)
    let peak = before
    const sockets: Socket[] = []
    try {
      // Each route has every connection once in the full size, and its share of them in the suite.
      const rounds = Math.max(2, Math.ceil((2 * connectionsMax) / routes.length))
      for (let round = 0; round < rounds; round += 1) {
        sockets.push(...(await Promise.all(routes.map(flood))))
        peak = Math.max(peak, await memoryBytes(api.pid))
        expect(await me()).toBe(200)
      }
    } finally {
      for (const socket of sockets) socket.destroy()
    }
    expect(peak - before).toBeLessThan(growthBytesMax + connectionsMax * connectionBytesMax)
  },
)
