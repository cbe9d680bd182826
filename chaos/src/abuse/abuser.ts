// A thread that repeats one request on many connections, so that the clocks of the other client are not delayed by it.
import { Agent, type IncomingMessage, request } from 'node:http'
import { parentPort, workerData } from 'node:worker_threads'
import type { AbusedRoute } from './routes.ts'

/** What the thread does. */
export interface AbuserSettings {
  readonly url: string
  readonly key: string
  readonly route: AbusedRoute
  readonly connections: number
}

/** What came of it: the number of answers by status, and of connections that ended without one. */
export interface AbuserReport {
  readonly statuses: Readonly<Record<string, number>>
  readonly resets: number
}

/** An event stream is read for this long. */
const streamMs = 500

const { url, key, route, connections } = workerData as AbuserSettings
const agent = new Agent({ keepAlive: true, maxSockets: connections })
const statuses: Record<string, number> = {}
let resets = 0
let isStopped = false

async function repeat(): Promise<void> {
  while (!isStopped) {
    try {
      const status = await send()
      statuses[status] = (statuses[status] ?? 0) + 1
    } catch {
      resets += 1
    }
  }
}

function send(): Promise<number> {
  return new Promise((resolve, reject) => {
    const { method, path, body } = route
    const headers = {
      authorization: `Bearer ${key}`,
      ...(body !== undefined && { 'content-type': 'application/json' }),
    }
    const sent = request(new URL(path, url), { method, headers, agent })
    sent.once('error', reject)
    sent.once('response', (response: IncomingMessage) => {
      const status = response.statusCode ?? 0
      const isStream = response.headers['content-type']?.startsWith('text/event-stream') === true
      const timer = isStream ? setTimeout(() => response.destroy(), streamMs) : undefined
      response.resume().once('close', () => {
        clearTimeout(timer)
        if (isStream || response.complete) resolve(status)
        else reject(new Error('the answer ended early'))
      })
    })
    sent.end(body)
  })
}

const running = Array.from({ length: connections }, repeat)
parentPort?.once('message', () => {
  isStopped = true
  void Promise.all(running).then(() => {
    agent.destroy()
    parentPort?.postMessage({ statuses, resets } satisfies AbuserReport)
  })
})
