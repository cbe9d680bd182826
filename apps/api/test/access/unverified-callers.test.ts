import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import {
  unverifiedBodiesMax,
  unverifiedBodyBytesMax,
  unverifiedBodyMsMax,
  unverifiedCallsBurst,
} from '../../src/http/limits.ts'
import { trustedProxies } from '../../src/trusted-proxies.ts'
import { startDashboard, type TestDashboard, token } from '../support/dashboard-server.ts'
import { makeKey } from '../support/dashboard-world.ts'
import { rawRequest } from '../support/raw-request.ts'
import type { TestApi } from '../support/start-api.ts'

let dashboard: TestDashboard
let api: TestApi
const sockets: Socket[] = []

beforeAll(async () => {
  dashboard = await startDashboard()
})
beforeEach(async () => {
  api = await dashboard.serve(dashboard.queue)
})
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy()
  await api.close()
})
afterAll(() => dashboard.close())

/** The number of connections that the server of the tests allows. */
const connectionsMax = 200
const routes = [
  'POST /dashboard/session',
  'POST /dashboard/session/issuer',
  'POST /jobs',
  'GET /docs',
] as const

/** The head of a request with a body, in which nothing says who sends it. */
function headOf(route: string, length: number): string {
  const host = new URL(api.base).host
  return (
    `${route} HTTP/1.1\r\nHost: ${host}\r\nOrigin: ${api.base}\r\nContent-Type: application/json\r\n` +
    `Content-Length: ${length}\r\n\r\n`
  )
}

/** Opens a connection that sends the beginning of a request, and then nothing. */
async function stall(route: string, localAddress = '127.0.0.1'): Promise<Socket> {
  const socket = connect({ port: api.port, host: '127.0.0.1', localAddress })
  sockets.push(socket)
  socket.on('error', () => undefined).resume()
  await once(socket, 'connect')
  socket.write(`${headOf(route, 100)}{`)
  return socket
}

function signIn(key: string, { base } = api, forwarded?: string): Promise<Response> {
  return fetch(`${base}/dashboard/session`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      ...(forwarded !== undefined && { 'x-forwarded-for': forwarded }),
    },
    body: JSON.stringify({ key }),
  })
}

describe('a caller without a verified credential', () => {
  test.each(routes)('keeps nobody out by unfinished requests on every connection: %s', async (route) => {
    await Promise.all(Array.from({ length: 2 * connectionsMax }, () => stall(route)))
    const answers = Array.from({ length: 20 }, async () => {
      const answer = await fetch(`${api.base}/me`, {
        headers: { authorization: `Bearer ${token}`, connection: 'close' },
      })
      return answer.status
    })
    expect(new Set(await Promise.all(answers))).toEqual(new Set([200]))
  })

  test('does not keep others from signing in by bodies that do not end', async () => {
    await Promise.all(
      Array.from({ length: unverifiedBodiesMax + 20 }, () => stall('POST /dashboard/session')),
    )
    expect((await signIn(token)).status).toBe(200)
  })

  test('takes no slow sign-in from another address by bodies that do not end', async () => {
    const body = JSON.stringify({ key: token })
    const slow = connect({ port: api.port, host: '127.0.0.1', localAddress: '127.0.0.2' })
    sockets.push(slow)
    slow.write(headOf('POST /dashboard/session', body.length))
    await Promise.all(
      Array.from({ length: unverifiedBodiesMax + 20 }, () => stall('POST /dashboard/session')),
    )
    // The answer to a further one comes after all of those were begun.
    await rawRequest(api.port, `${headOf('POST /dashboard/session', 2)}{}`)
    slow.write(body)
    const [answer] = (await once(slow, 'data')) as [Buffer]
    expect(answer.toString()).toMatch(/^HTTP\/1\.1 200 /)
  })

  test('has little time for the body of a sign-in', async () => {
    const startedAtMs = performance.now()
    const answer = await rawRequest(api.port, `${headOf('POST /dashboard/session', 100)}{`)
    expect(answer.status).toBe(408)
    expect(answer.head).toMatch(/connection: close/i)
    expect(performance.now() - startedAtMs).toBeGreaterThan(unverifiedBodyMsMax - 50)
  })

  test.each(routes.slice(0, 2))('can send only a small body: %s', async (route) => {
    const text = JSON.stringify({ key: 'k'.repeat(unverifiedBodyBytesMax) })
    expect((await rawRequest(api.port, headOf(route, text.length) + text)).status).toBe(413)
  })

  test('has sign-ins counted for its address, whatever comes of them', async () => {
    for (let n = 0; n < unverifiedCallsBurst; n += 1) {
      const answer = await signIn(n % 2 === 0 ? token : 'nobody')
      expect(answer.status).toBe(n % 2 === 0 ? 200 : 401)
    }
    // On a busy machine the places come back almost as fast as a few sign-ins take them.
    const outcomes = await Promise.all(Array.from({ length: unverifiedCallsBurst * 4 }, () => signIn(token)))
    const refused = outcomes.find(({ status }) => status === 429)
    expect(await refused?.json()).toMatchObject({ error: 'too_many_sign_ins' })
  })
})

test('behind a trusted proxy, sign-ins are counted for the address of the client, whatever it writes itself', async () => {
  const proxied = await dashboard.serve(dashboard.queue, { clientOf: trustedProxies.parse('loopback') })
  try {
    const attempt = async (forwarded: string) => (await signIn('nobody', proxied, forwarded)).status
    const attempts = Array.from({ length: 2 * unverifiedCallsBurst }, (_, n) =>
      attempt(`198.51.100.${n}, 203.0.113.1`),
    )
    expect(new Set(await Promise.all(attempts))).toEqual(new Set([401, 429]))
    expect(await attempt('203.0.113.2')).toBe(401)
  } finally {
    await proxied.close()
  }
})

test('a sign-in counts against the rate of its key', async () => {
  const { text } = await makeKey(dashboard.database, {
    id: 'slowkey1',
    role: 'operate',
    rate: { count: 2, perSeconds: 3_600, burst: 2 },
  })
  const statuses: number[] = []
  for (let n = 0; n < 3; n += 1) statuses.push((await signIn(text)).status)
  expect(statuses).toEqual([200, 200, 429])
})

test('many sign-ins at an issuer that fails are one request to it', async () => {
  let requests = 0
  dashboard.issuer.answer = (_req, res) => {
    requests += 1
    res.statusCode = 500
    res.end()
  }
  try {
    const { base } = api
    const begin = (): Promise<Response> =>
      fetch(`${base}/dashboard/session/issuer`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', origin: base },
        body: JSON.stringify({ next: '/' }),
      })
    for (let n = 0; n < 10; n += 1) expect((await begin()).status).toBe(503)
    expect(requests).toBe(1)
  } finally {
    dashboard.issuer.answer = undefined
  }
})
