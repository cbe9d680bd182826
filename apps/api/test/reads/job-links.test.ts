import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { createQueue, type Queue, type KeyRole } from '@queue/core'
import { createKey, digestSecret, formatApiKey, revokeKey, databaseOf } from '@queue/core/internal'
import { createReadiness } from '@queue/service'
import { createTestDatabase, insertJob, type TestDatabase } from '@queue/testing'
import { createJobLinks } from '../../src/access/job-links.ts'
import { createKeyVerifier } from '../../src/access/key-verifier.ts'
import { createKeyCache, type KeyCache } from '../../src/access/key-cache.ts'
import { jobLinkMs, linkReadsBurst, linkReadsPerSecond, revocationsStaleMs } from '../../src/http/limits.ts'
import { startApi, type TestApi } from '../support/start-api.ts'

const token = 'a-token-of-these-tests'
const secret = 'a-secret-of-these-tests'
let database: TestDatabase
let queue: Queue
let keys: KeyCache
let api: TestApi
let nowMs = 1_768_470_300_000

beforeAll(async () => {
  database = await createTestDatabase()
  queue = createQueue({ connectionString: database.urlAs('api') })
  keys = createKeyCache({ database: databaseOf(queue), nowMs: () => nowMs })
  api = await serve({ token })
})

afterAll(async () => {
  await api.close()
  await queue.close()
  await database.close()
})

interface ServeOptions {
  readonly token?: string
  readonly secret?: string
}

/** An API with keys; `secret: ''` is one without links. */
function serve({ token: apiToken, secret: linkSecret = secret }: ServeOptions): Promise<TestApi> {
  const jobLinks =
    linkSecret === ''
      ? undefined
      : createJobLinks({ secret: linkSecret, token: apiToken, keys, nowMs: () => nowMs })
  const authenticate = createKeyVerifier({ database: databaseOf(queue), nowMs: () => nowMs, keys })
  return startApi({
    queue,
    readiness: createReadiness({ database: databaseOf(queue) }),
    token: apiToken,
    authenticate,
    jobLinks,
  })
}

async function keyOf(id: string, role: KeyRole = 'admin', expiresInMs?: number): Promise<string> {
  const bytes = randomBytes(32)
  const owner = databaseOf(database.queue)
  await createKey(owner, { id, digest: digestSecret(bytes), name: id, role, permissions: [], expiresInMs })
  return formatApiKey(id, bytes)
}

async function linkOf(jobId: string, credential = token): Promise<string> {
  const headers = { authorization: `Bearer ${credential}` }
  const { status, text } = await api.post(`/jobs/${jobId}/links`, undefined, headers)
  expect(status).toBe(201)
  const link = JSON.parse(text) as { readonly path: string; readonly expires_at: string }
  expect(Date.parse(link.expires_at)).toBe(nowMs + jobLinkMs)
  return link.path
}

const statusOf = async (path: string, of = api) => (await of.fetch(path)).status

test('a link reads its job without credentials and without its payload, and nothing else', async () => {
  const { id } = await insertJob(database, { status: 'succeeded', payload: { secret: 'hidden' } })
  const { id: other } = await insertJob(database)
  for (const credential of [token, await keyOf('linkadm0'), await keyOf('linkread', 'read')]) {
    const path = await linkOf(id, credential)
    const answer = await api.fetch(path)
    expect(answer).toMatchObject({ status: 200, body: { id, payload: '***', result: null } })
    expect(answer.text).not.toContain('hidden')
    expect(answer.headers.get('cache-control')).toBe('no-store')
    const link = path.slice('/linked-jobs/'.length)
    for (const elsewhere of [
      `/jobs/${id}?link=${link}`,
      `/jobs/${link}`,
      `${path}/events`,
      `${path}/events?logs=info`,
      `${path}/logs`,
    ]) {
      expect(await statusOf(elsewhere)).toBe(401)
    }
    expect((await api.fetch('/jobs', { headers: { authorization: `Bearer ${link}` } })).status).toBe(401)
    expect(await statusOf(path.replace(id, other))).toBe(404)
  }
})

test('what is no link, or a changed one, is answered in the same words', async () => {
  const { id } = await insertJob(database)
  const path = await linkOf(id)
  const parts = path.slice('/linked-jobs/'.length).split('.')
  const changed = parts.flatMap((part, place) => {
    const other = part.endsWith('1') ? `${part.slice(0, -1)}2` : `${part.slice(0, -1)}1`
    return [other, '', `${part}0`].map((text) => parts.with(place, text).join('.'))
  })
  // Two bits of the last character of a signature say nothing.
  const likeIt = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
    .split('')
    .filter((last) => !path.endsWith(last))
    .map((last) => `${parts.join('.').slice(0, -1)}${last}`)
  const answers = new Set<string>()
  for (const link of [
    ...changed,
    ...likeIt,
    'x',
    '%00',
    'a'.repeat(5_000),
    path.slice(13).replace('.token.', '.anyone.'),
  ]) {
    const { status, body } = await api.fetch(`/linked-jobs/${link}`)
    answers.add(`${status} ${body.error}`)
  }
  expect([...answers]).toEqual(['404 not_found'])
  expect(await statusOf(path)).toBe(200)
})

test('a link ends after 15 minutes, with the key that made it, with the token, and with the secret', async () => {
  const { id } = await insertJob(database)
  const [kept, fromKey, fromExpiring] = [
    await linkOf(id),
    await linkOf(id, await keyOf('linkrev0')),
    await linkOf(id, await keyOf('linkexp0', 'read', 3_000)),
  ]
  for (const path of [kept, fromKey, fromExpiring]) expect(await statusOf(path)).toBe(200)
  await revokeKey(databaseOf(database.queue), 'linkrev0')
  nowMs += revocationsStaleMs
  expect([await statusOf(fromKey), await statusOf(fromExpiring), await statusOf(kept)]).toEqual([
    404, 200, 200,
  ])
  nowMs += 3_000
  expect([await statusOf(fromExpiring), await statusOf(kept)]).toEqual([404, 200])
  for (const served of [
    { token: 'another-token-of-these' },
    {},
    { token, secret: 'another-secret-of-these' },
  ]) {
    const other = await serve(served)
    expect(await statusOf(kept, other)).toBe(404)
    await other.close()
  }
  nowMs += jobLinkMs
  expect(await statusOf(kept)).toBe(404)
})

test('who may not read jobs makes no link, nor does a server without a secret', async () => {
  const { id } = await insertJob(database)
  const headers = { authorization: `Bearer ${await keyOf('linkenq0', 'enqueue')}` }
  expect(await api.post(`/jobs/${id}/links`, undefined, headers)).toMatchObject({
    status: 403,
    body: { permission: 'jobs:read' },
  })
  const unknown = '01980d3c-7a1e-7c3a-9f52-3b1f6c0de001'
  const asToken = { authorization: `Bearer ${token}` }
  expect((await api.post(`/jobs/${unknown}/links`, undefined, asToken)).status).toBe(404)
  const without = await serve({ token, secret: '' })
  expect((await without.post(`/jobs/${id}/links`, undefined, asToken)).status).toBe(404)
  expect(await statusOf(await linkOf(id), without)).toBe(404)
  await without.close()
})

test('who reads too often by a link is told to wait, and takes nothing from others', async () => {
  const [{ id }, { id: other }] = [await insertJob(database), await insertJob(database)]
  const [path, elsewhere] = [await linkOf(id), await linkOf(other)]
  const statuses: number[] = []
  for (let n = 0; n < linkReadsBurst + 2; n += 1) statuses.push(await statusOf(path))
  const expected = [...Array.from({ length: linkReadsBurst }, () => 200), 429, 429]
  expect(statuses).toEqual(expected)
  // Another link to the job by the same maker is no way round it.
  nowMs += 1
  expect(await statusOf(await linkOf(id))).toBe(429)
  expect(await statusOf(elsewhere)).toBe(200)
  nowMs += 1_000 / linkReadsPerSecond
  expect([await statusOf(path), await statusOf(path)]).toEqual([200, 429])
})
