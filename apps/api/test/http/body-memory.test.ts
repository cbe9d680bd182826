import { randomBytes } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { Agent, request } from 'node:http'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { createKey, digestSecret, formatApiKey, databaseOf } from '@queue/core/internal'
import { createTestDatabase, eventually, type TestDatabase } from '@queue/testing'
import { type ApiProcess, startApiProcess } from '../support/api-process.ts'

/** What the chart's 512 MiB leave beside an idle process; it has more than in the chart where it runs from its sources. */
const growthBytesMax = 330 * 1_048_576
/** What V8 takes of the chart's memory for its heap. */
const heapMegabytes = 256
const connections = 100
const floodMs = 1_500

let database: TestDatabase
let api: ApiProcess
let url: URL
let key: string
let idleBytes: number

beforeAll(async () => {
  database = await createTestDatabase()
  api = startApiProcess({
    DATABASE_URL: database.urlAs('api'),
    API_KEYS: 'yes',
    API_UNKNOWN_KINDS: 'accept',
    NODE_OPTIONS: `--max-old-space-size=${heapMegabytes}`,
  })
  url = new URL(await api.url())
  await eventually(async () => (await fetch(new URL('/readyz', url))).ok, { what: 'ready' })
  key = await keyOf('abuser')
  idleBytes = await peakBytes(api.pid)
})

afterAll(async () => {
  api.signal('SIGTERM')
  await api.ended()
  await database.close()
})

async function keyOf(name: string): Promise<string> {
  const id = randomBytes(4).toString('hex')
  const secret = randomBytes(32)
  const digest = digestSecret(secret)
  await createKey(databaseOf(database.queue), { id, digest, name, role: 'admin', permissions: [] })
  return formatApiKey(id, secret)
}

/** The largest number of small values that a body may have, and the largest text. */
const many = (value: string, count: number): string => `[${Array(count).fill(value).join()}]`
const job = (payload: string): string => `{"kind":"k","queue":"q","payload":${payload}}`
const bodies = {
  'ids that are objects': ['/jobs/states', `{"ids":${many('{}', 99_000)}}`],
  'items that are no jobs': ['/jobs/batch', `{"jobs":${many('0', 99_000)}}`],
  'a payload of objects': ['/jobs', job(many('{}', 99_000))],
  'a payload of arrays': ['/jobs', job(many('[]', 99_000))],
  'a payload of numbers': ['/jobs', job(many('1', 99_000))],
  'a payload of members': ['/jobs', job(many('{"a":1,"b":2,"c":3}', 9_900))],
  'a payload with a long text': ['/jobs', job(`{"text":"${'x'.repeat(1_000_000)}"}`)],
} as const

function post(path: string, body: string, agent: Agent): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>()
  const sent = request(new URL(path, url), {
    agent,
    method: 'POST',
    headers: {
      authorization: `Bearer ${key}`,
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(body),
    },
  })
  sent.once('error', reject)
  sent.once('response', (answer) => {
    answer.resume()
    answer.once('end', () => resolve(answer.statusCode ?? 0))
  })
  sent.end(body)
  return promise
}

async function peakBytes(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8')
  return Number(/VmHWM:\s+(\d+) kB/.exec(status)?.[1]) * 1_024
}

// The memory of another process can be read on Linux only.
const onLinux = process.platform === 'linux' ? test : test.skip

onLinux.each(Object.entries(bodies))(
  'one key cannot make a process use more than its memory, nor lose an answer: %s',
  async (_name, [path, body]) => {
    const agent = new Agent({ keepAlive: true, maxSockets: connections })
    const endsAtMs = performance.now() + floodMs
    const statuses = new Set<number>()
    const repeat = async (): Promise<void> => {
      while (performance.now() < endsAtMs) statuses.add(await post(path, body, agent))
    }
    try {
      await Promise.all(Array.from({ length: connections }, repeat))
    } finally {
      agent.destroy()
    }
    expect([...statuses].filter((status) => ![202, 201, 422, 429, 503].includes(status))).toEqual([])
    expect([...statuses].some((status) => status !== 429 && status !== 503)).toBe(true)
    expect((await peakBytes(api.pid)) - idleBytes).toBeLessThan(growthBytesMax)
  },
)
