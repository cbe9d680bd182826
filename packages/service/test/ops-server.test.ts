import type { Server } from 'node:http'
import { afterEach, describe, expect, test } from '@jest/globals'
import { createMetricsRegistry, createWorkerMetrics } from '@queue/telemetry'
import { closeHttpServer, createOpsServer, listen, type Readiness } from '../src/index.ts'

const ready: Readiness = async () => ({
  status: 'ready',
  checks: { process: 'running', database: 'up', schema: 'compatible' },
})
const down: Readiness = async () => ({
  status: 'not_ready',
  checks: { process: 'running', database: 'down', schema: 'unknown' },
})

let server: Server | undefined
afterEach(async () => {
  if (server) await closeHttpServer(server, { graceMs: 0 })
})

async function start(readiness: Readiness): Promise<string> {
  const registry = createMetricsRegistry({ service: 'worker' })
  createWorkerMetrics(registry).concurrency(4)
  server = createOpsServer({ registry, readiness })
  return (await listen(server, { host: '127.0.0.1', port: 0, variable: 'WORKER_METRICS_BIND_ADDR' })).url
}

describe('the pages by which a process is watched', () => {
  test('say that it is alive and ready', async () => {
    const url = await start(ready)
    for (const path of ['/livez', '/readyz', '/health', '/readyz?verbose']) {
      const response = await fetch(url + path)
      expect([path, response.status]).toEqual([path, 200])
      expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8')
      expect(response.headers.get('cache-control')).toBe('no-store')
    }
  })

  test('tell liveness from readiness: without a database the process is alive and not ready', async () => {
    const url = await start(down)
    expect((await fetch(`${url}/livez`)).status).toBe(200)
    const response = await fetch(`${url}/readyz`)
    expect(response.status).toBe(503)
    expect(await response.json()).toMatchObject({ status: 'not_ready', checks: { database: 'down' } })
    expect((await fetch(`${url}/health`)).status).toBe(503)
  })

  test('show the metrics as Prometheus text', async () => {
    const response = await fetch(`${await start(ready)}/metrics`)
    expect(response.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8')
    expect(await response.text()).toContain('worker_concurrency 4\n')
  })

  test('answer HEAD without a body, other methods with 405, other paths with 404', async () => {
    const url = await start(ready)
    const head = await fetch(`${url}/livez`, { method: 'HEAD' })
    expect([head.status, await head.text()]).toEqual([200, ''])
    const post = await fetch(`${url}/metrics`, { method: 'POST', body: 'x' })
    expect([post.status, post.headers.get('allow')]).toEqual([405, 'GET, HEAD'])
    expect((await fetch(`${url}/jobs`)).status).toBe(404)
  })

  test('reveal nothing of a fault of their own', async () => {
    const url = await start(async () => {
      throw new Error('postgres://app:hunter2@db')
    })
    const response = await fetch(`${url}/readyz`)
    expect(response.status).toBe(500)
    expect(await response.text()).toBe('{"status":"error"}\n')
  })
})
