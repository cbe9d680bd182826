import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { connect, createServer } from 'node:net'
import { Worker as Thread } from 'node:worker_threads'
import { afterEach, describe, expect, jest, test } from '@jest/globals'
import { createMetricsRegistry, createWorkerMetrics } from '@queue/telemetry'
import { eventually, recordLogger } from '@queue/testing'
import { ExitError, type OpsServer, type Readiness, startOpsServer } from '../src/index.ts'
import { startBusyProcess } from './programs/start-busy-process.ts'

const ready: Readiness = async () => ({
  status: 'ready',
  checks: { process: 'running', database: 'up', schema: 'compatible', writes: 'accepted' },
})
const down: Readiness = async () => ({
  status: 'not_ready',
  checks: { process: 'running', database: 'down', schema: 'unknown', writes: 'unknown' },
})
const variable = 'WORKER_METRICS_BIND_ADDR'

const servers: OpsServer[] = []
afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.close({ graceMs: 0 })))
})

async function start(readiness: Readiness, { port = 0, patienceMs = 10_000 } = {}): Promise<OpsServer> {
  const registry = createMetricsRegistry({ service: 'worker' })
  createWorkerMetrics(registry).concurrency(4)
  const logger = recordLogger()
  const address = { host: '127.0.0.1', port, variable }
  const server = await startOpsServer({ registry, readiness, logger, address, patienceMs })
  servers.push(server)
  return server
}

describe('the ops endpoints of a process', () => {
  test('report that it is alive and ready', async () => {
    const { url } = await start(ready)
    for (const path of ['/livez', '/readyz', '/health', '/readyz?verbose']) {
      const response = await fetch(url + path)
      expect([path, response.status]).toEqual([path, 200])
      expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8')
      expect(response.headers.get('cache-control')).toBe('no-store')
    }
  })

  test('distinguish liveness from readiness: without a database the process is alive but not ready', async () => {
    const { url } = await start(down)
    expect((await fetch(`${url}/livez`)).status).toBe(200)
    const response = await fetch(`${url}/readyz`)
    expect(response.status).toBe(503)
    expect(await response.json()).toMatchObject({ status: 'not_ready', checks: { database: 'down' } })
    expect((await fetch(`${url}/health`)).status).toBe(503)
  })

  test('serve the metrics as Prometheus text', async () => {
    const { url } = await start(ready)
    const response = await fetch(`${url}/metrics`)
    expect(response.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8')
    expect(await response.text()).toContain('worker_concurrency 4\n')
  })

  test('answer HEAD without a body, other methods with 405, other paths with 404', async () => {
    const { url } = await start(ready)
    const head = await fetch(`${url}/livez`, { method: 'HEAD' })
    expect([head.status, await head.text()]).toEqual([200, ''])
    for (const path of ['/metrics', '/livez']) {
      const post = await fetch(url + path, { method: 'POST', body: 'x' })
      expect([post.status, post.headers.get('allow')]).toEqual([405, 'GET, HEAD'])
    }
    for (const path of ['/jobs', '/', '/livez/', '/constructor']) {
      expect([path, (await fetch(url + path)).status]).toEqual([path, 404])
    }
  })

  test('have no /metrics if there are no metrics', async () => {
    const logger = recordLogger()
    const server = await startOpsServer({
      readiness: ready,
      logger,
      address: { host: '127.0.0.1', port: 0, variable },
    })
    servers.push(server)
    expect((await fetch(`${server.url}/readyz`)).status).toBe(200)
    expect((await fetch(`${server.url}/metrics`)).status).toBe(404)
  })

  test.each([
    ['127.0.0.1', 'evil.example', 421],
    ['127.0.0.1', 'localhost:9091', 200],
    ['127.0.0.1', '127.0.0.1', 200],
    ['0.0.0.0', 'worker.internal:9091', 200],
  ])('on %s answer a request for the host %s with %i', async (host, named, status) => {
    const logger = recordLogger()
    const server = await startOpsServer({ readiness: ready, logger, address: { host, port: 0, variable } })
    servers.push(server)
    for (const endpoint of ['/livez', '/readyz', '/nope']) {
      const sent = request({
        host: '127.0.0.1',
        port: server.port,
        path: endpoint,
        headers: { host: named },
      }).end()
      const [response] = (await once(sent, 'response')) as [IncomingMessage]
      response.resume()
      expect([endpoint, response.statusCode]).toEqual([
        endpoint,
        endpoint === '/nope' && status === 200 ? 404 : status,
      ])
    }
  })

  test('are available while a client holds all connections open without requests', async () => {
    const { port, url } = await start(ready)
    const silent = Array.from({ length: 200 }, () => connect(port, '127.0.0.1').on('error', () => undefined))
    await Promise.all(silent.map((socket) => once(socket, 'connect')))
    for (let count = 0; count < 5; count += 1) {
      const answer = await fetch(`${url}/livez`, {
        signal: AbortSignal.timeout(5_000),
        headers: { connection: 'close' },
      })
      expect(answer.status).toBe(200)
    }
    for (const socket of silent) socket.destroy()
  })

  test('reveal no details of an internal error', async () => {
    const { url } = await start(async () => {
      throw new Error('postgres://app:hunter2@db')
    })
    const response = await fetch(`${url}/readyz`)
    expect(response.status).toBe(500)
    expect(await response.text()).toBe('{"status":"error"}\n')
  })

  test('send the main thread one request, however many clients wait for the answer', async () => {
    const pendingReports: ((report: Awaited<ReturnType<Readiness>>) => void)[] = []
    const { url } = await start(() => new Promise((resolve) => pendingReports.push(resolve)))
    const requests = Array.from({ length: 20 }, () => fetch(`${url}/readyz`))
    await eventually(() => pendingReports.length > 0)
    pendingReports[0]?.(await ready())
    // A request after the answer is sent to the main thread again.
    const rest = setInterval(() => void ready().then((report) => pendingReports.at(-1)?.(report)), 5)
    const statuses = (await Promise.all(requests)).map((response) => response.status)
    clearInterval(rest)
    expect(new Set(statuses)).toEqual(new Set([200]))
    expect(pendingReports.length).toBeLessThan(requests.length)
  })

  test('wait for the main thread for a limited time, and then report it; /livez does not wait', async () => {
    // /metrics has an answer within this time on a busy machine too.
    const { url } = await start(() => new Promise(() => undefined), { patienceMs: 1_000 })
    const response = await fetch(`${url}/readyz`)
    expect(response.status).toBe(503)
    expect(await response.json()).toEqual({
      status: 'busy',
      message: expect.stringContaining('the main thread has not answered for 1000 ms'),
    })
    expect((await fetch(`${url}/metrics`)).status).toBe(200)
    expect((await fetch(`${url}/livez`)).status).toBe(200)
  })
})

test('a process whose event loop is blocked is alive but not ready, with the reason', async () => {
  const busy = await startBusyProcess()
  try {
    const alive = await fetch(`${busy.url}/livez`)
    expect([alive.status, await alive.json()]).toEqual([200, { status: 'alive' }])
    for (const path of ['/readyz', '/health', '/metrics']) {
      const response = await fetch(busy.url + path)
      expect([path, response.status]).toEqual([path, 503])
      expect(await response.text()).toContain('the main thread has not answered for')
    }
  } finally {
    await busy.kill()
  }
})

describe('the thread of the endpoints', () => {
  test('refuses a port in use with one line that names the variable, with exit code 1', async () => {
    const holder = createServer().listen(0, '127.0.0.1')
    await once(holder, 'listening')
    const { port } = holder.address() as { port: number }
    const second = start(ready, { port })
    await expect(second).rejects.toThrow(ExitError)
    await expect(second).rejects.toMatchObject({
      exitCode: 1,
      message:
        `${variable}: cannot listen on 127.0.0.1:${port}: the port is in use; ` +
        `stop the process that holds it, or set ${variable} to another port`,
    })
    holder.close()
  })

  test('waits for the response to a request in flight when it ends, and accepts no more', async () => {
    const arrived = Promise.withResolvers<() => void>()
    const server = await start(
      () => new Promise((resolve) => arrived.resolve(() => void ready().then(resolve))),
    )
    const inFlight = fetch(`${server.url}/readyz`)
    const answer = await arrived.promise
    const closed = server.close({ graceMs: 20_000 })
    answer()
    expect((await inFlight).status).toBe(200)
    await closed
    await expect(fetch(`${server.url}/livez`)).rejects.toThrow()
  })

  test('cuts connections that remain after the grace time when it ends', async () => {
    const arrived = Promise.withResolvers<void>()
    const server = await start(() => new Promise(() => arrived.resolve()))
    const endless = fetch(`${server.url}/readyz`)
    await arrived.promise
    await Promise.all([expect(endless).rejects.toThrow(), server.close({ graceMs: 10 })])
  })

  test('is started again on the same port when it dies', async () => {
    const postMessage = jest.spyOn(Thread.prototype, 'postMessage')
    const { url } = await start(ready)
    await fetch(`${url}/readyz`)
    const [thread] = postMessage.mock.contexts as Thread[]
    postMessage.mockRestore()
    await thread?.terminate()
    await eventually(async () => (await fetch(`${url}/readyz`)).status === 200)
  })

  test('can be closed twice', async () => {
    const server = await start(ready)
    await Promise.all([server.close({ graceMs: 1_000 }), server.close({ graceMs: 1_000 })])
  })
})
