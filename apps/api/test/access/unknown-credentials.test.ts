import { createHash, randomBytes } from 'node:crypto'
import { Agent, request } from 'node:http'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { createKey, createSession, digestSecret, formatApiKey, databaseOf } from '@queue/core/internal'
import { createTestDatabase, eventually, type TestDatabase } from '@queue/testing'
import { type ApiProcess, startApiProcess } from '../support/api-process.ts'

/** Connections of whoever sends credentials that nobody has, from the address that everybody has behind a proxy. */
const connections = 200
/** Those of others, whose credentials are valid, and new to the process. */
const othersCount = 24
/** How many answers the flood has at most on each of its connections until each of them is answered: a time for any machine. */
const answersBeforeMax = 8

let database: TestDatabase
let api: ApiProcess
let url: URL
let made = 0

beforeAll(async () => {
  database = await createTestDatabase()
  api = startApiProcess({ DATABASE_URL: database.urlAs('api'), API_KEYS: 'yes' })
  url = new URL(await api.url())
  await eventually(async () => (await fetch(new URL('/readyz', url))).ok, { what: 'ready' })
})

afterAll(async () => {
  api.signal('SIGTERM')
  await api.ended()
  await database.close()
})

type Credential = Readonly<Record<string, string>>

function send(headers: Credential, agent: Agent): Promise<number> {
  return new Promise((resolve, reject) => {
    const sent = request(new URL('/me', url), { headers, agent })
    sent.once('error', reject)
    sent.once('response', (response) => {
      response.resume().once('end', () => resolve(response.statusCode ?? 0))
    })
    sent.end()
  })
}

/** Sends an unknown credential after the other on each connection until it is stopped. Fails if a connection ends without an answer. */
function flood(unknown: () => Credential): { answered(): number; stop(): Promise<readonly number[]> } {
  const agent = new Agent({ keepAlive: true, maxSockets: connections })
  const statuses: number[] = []
  let isStopped = false
  const repeat = async (): Promise<void> => {
    while (!isStopped) statuses.push(await send(unknown(), agent))
  }
  const repeating = Promise.all(Array.from({ length: connections }, repeat))
  // It is awaited where the flood is stopped.
  repeating.catch(() => undefined)
  return {
    answered: () => statuses.length,
    stop: async () => {
      isStopped = true
      await repeating
      agent.destroy()
      return statuses
    },
  }
}

async function storeKey(): Promise<{ id: string; text: string }> {
  made += 1
  const [id, secret] = [`valid${String(made).padStart(3, '0')}`, randomBytes(32)]
  const digest = digestSecret(secret)
  await createKey(databaseOf(database.queue), { id, digest, name: 'n', role: 'read', permissions: [] })
  return { id, text: formatApiKey(id, secret) }
}

const bearer = (text: string): Credential => ({ authorization: `Bearer ${text}` })
const cookie = (id: string): Credential => ({ cookie: `queue_session=${id}`, 'x-queue-session': '1' })

const sorts = {
  key: {
    unknown: () => bearer(formatApiKey(randomBytes(4).toString('hex'), randomBytes(32))),
    valid: async () => bearer((await storeKey()).text),
  },
  session: {
    unknown: () => cookie(randomBytes(32).toString('base64url')),
    valid: async () => {
      const [id, { id: keyId }] = [randomBytes(32).toString('base64url'), await storeKey()]
      const digest = createHash('sha256').update(id).digest()
      await createSession(databaseOf(database.queue), {
        id: digest,
        credential: { keyId },
        expiresInMs: 3_600_000,
      })
      return cookie(id)
    },
  },
}

test.each(Object.entries(sorts))(
  'a flood of ever new ones keeps out nobody whose %s the process has not seen yet',
  async (_, { unknown, valid }) => {
    const others = await Promise.all(Array.from({ length: othersCount }, valid))
    const flooding = flood(unknown)
    await eventually(() => flooding.answered() > 2 * connections, { what: 'a flood that goes on' })
    const agent = new Agent({ keepAlive: true })
    const answers = others.map(async (credential) => {
      const answeredBefore = flooding.answered()
      const status = await send(credential, agent)
      return { status, isSoon: flooding.answered() - answeredBefore < answersBeforeMax * connections }
    })
    expect(await Promise.all(answers)).toEqual(others.map(() => ({ status: 200, isSoon: true })))
    agent.destroy()
    expect(new Set(await flooding.stop())).toEqual(new Set([401]))
  },
)
