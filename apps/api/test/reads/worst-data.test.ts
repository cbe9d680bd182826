import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { createKey, digestSecret, formatApiKey, permissions, databaseOf } from '@queue/core/internal'
import { document } from '@queue/test-http'
import { createTestDatabase, eventually, type TestDatabase } from '@queue/testing'
import { type ApiProcess, startApiProcess } from '../support/api-process.ts'
import { seedWorstData, worstRequestsOf, type WorstRequest } from '../support/worst-data.ts'

/** Probes, and requests of other callers, wait for so long at most. The best of some tries counts. */
const turnMsMax = 100
const triesMax = 6

let database: TestDatabase
let api: ApiProcess
let url: string
const keys = new Map<string, string>()

beforeAll(async () => {
  database = await createTestDatabase()
  await seedWorstData(database)
  const meter = new URL('../support/programs/loop-meter.ts', import.meta.url)
  api = startApiProcess({ DATABASE_URL: database.urlAs('api'), API_KEYS: 'yes' }, [meter])
  url = await api.url()
  await eventually(async () => (await fetch(`${url}/readyz`)).ok, { what: 'ready' })
  keys.set('with payload:read', await makeKey('reader01', [...permissions]))
  keys.set(
    'without payload:read',
    await makeKey(
      'hidden01',
      permissions.filter((one) => one !== 'payload:read'),
    ),
  )
})

afterAll(async () => {
  api.signal('SIGKILL')
  await api.ended()
  await database.close()
})

async function makeKey(id: string, some: readonly (typeof permissions)[number][]): Promise<string> {
  const secret = randomBytes(32)
  const key = { id, digest: digestSecret(secret), name: id, role: 'read', permissions: some } as const
  await createKey(databaseOf(database.queue), key)
  return formatApiKey(id, secret)
}

let turnsRead = 0
/** The longest turn of the event loop of the API since the last call, in milliseconds of processor time. */
async function longestTurnMs(): Promise<number> {
  api.signal('SIGUSR2')
  turnsRead += 1
  return await eventually(
    () =>
      [...api.stdout().matchAll(/"longest_turn_ms":([\d.]+)/g)].map(([, ms]) => Number(ms))[turnsRead - 1],
    { what: 'the longest turn' },
  )
}

interface Sent {
  readonly method: string
  readonly path: string
  readonly key: string
  readonly request: WorstRequest
}

/** Resolves with false where the database did not answer in time, as on a busy machine: then the request proves nothing. */
async function send({ method, path, key, request: { id = 'x', query = '', body } }: Sent): Promise<boolean> {
  const response = await fetch(`${url}${path.replaceAll(/\{\w+\}/g, id)}${query}`, {
    method,
    headers: { authorization: `Bearer ${key}`, 'if-match': '*', 'content-type': 'application/json' },
    ...(body !== undefined && { body }),
  })
  // A refusal of what is worst is as good as an answer; a failure is not.
  const text = await response.text()
  if (response.status === 503 && text.includes('"error":"database_unavailable"')) return false
  if (response.status >= 500) throw new Error(`${method} ${path} answered ${text}`)
  return true
}

/** The longest turn while this request is served: that of the quickest of some tries. */
async function longestTurnMsOf(sent: Sent): Promise<number> {
  let best = Number.POSITIVE_INFINITY
  for (let tries = 0; tries < triesMax && best > turnMsMax; tries += 1) {
    await longestTurnMs()
    for (let sends = 1; !(await send(sent)); sends += 1)
      if (sends === triesMax) throw new Error('the database did not answer any of these requests')
    best = Math.min(best, await longestTurnMs())
  }
  return best
}

const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.keys(methods).map((method) => ({ path, method: method.toUpperCase() })),
)

describe('no turn of the event loop takes more than 100 ms of the processor:', () => {
  test.each(operations)('$method $path', async ({ method, path }) => {
    const long: unknown[] = []
    for (const request of worstRequestsOf(`${method} ${path}`)) {
      for (const [caller, key] of keys) {
        const ms = await longestTurnMsOf({ method, path, key, request })
        if (ms > turnMsMax) long.push({ caller, request: request.name, ms })
      }
    }
    expect(long).toEqual([])
  })
})
