import { randomBytes } from 'node:crypto'
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals'
import { createKey, digestSecret, formatApiKey, databaseOf } from '@queue/core/internal'
import { createTestDatabase, eventually, insertJob, type TestDatabase } from '@queue/testing'
import {
  type AdmissionBounds,
  connectionBounds,
  createAdmission,
  enqueueBounds,
  type Load,
} from '../../src/access/admission.ts'
import { admissionWaitingMax, keyEnqueuesShare, keyUnverifiedMsMax } from '../../src/http/limits.ts'
import { anonymous, type Principal } from '../../src/http/principal.ts'
import { RequestContext } from '../../src/http/request-context.ts'
import { type ApiProcess, startApiProcess } from '../support/api-process.ts'
import { email } from '../support/requests.ts'

/** Ten connections: eight for requests, half of them for heavy ones; of a key four, half of them for heavy ones. */
const connections = 10

describe('of ten connections', () => {
  test.each([
    ['light', 4],
    ['heavy', 2],
  ] as const)('a key has its share at a time: %s', async (load, share) => {
    const { begin, running } = world()
    for (let n = 0; n < 50; n += 1) begin('a', load)
    await settled()
    expect(running()).toHaveLength(share)
  })

  test('heavy requests have half, of however many keys, and light ones find the others free', async () => {
    const { begin, running } = world()
    for (let n = 0; n < 50; n += 1) begin(`key${n}`, 'heavy')
    begin('other', 'light')
    await settled()
    expect(running()).toHaveLength(5)
    expect(running()).toContain('other')
  })

  test('the callers take turns: what waits of one delays the only request of another by one of its own', async () => {
    const { begin, endFirst, running } = world()
    for (const name of ['a', 'b', 'c']) for (let n = 0; n < 50; n += 1) begin(name, 'heavy')
    begin('other', 'heavy')
    await settled()
    for (let n = 0; n < 4; n += 1) await endFirst()
    expect(running()).toContain('other')
  })

  test('API_TOKEN has no share of its own, and leaves light requests their room', async () => {
    const { begin, running } = world()
    for (let n = 0; n < 50; n += 1) begin(undefined, 'heavy')
    await settled()
    expect(running()).toHaveLength(4)
  })

  test('a key has so many requests that wait, and one that nobody waits for is not begun', async () => {
    const { begin, running, endFirst } = world()
    for (let n = 0; n < 2; n += 1) begin('a', 'heavy')
    const waiting = Array.from({ length: admissionWaitingMax }, () => begin('a', 'heavy'))
    await expect(begin('a', 'heavy').ended).rejects.toMatchObject({ slug: 'too_many_requests' })
    const refusals = waiting.map(({ ended }) => expect(ended).rejects.toMatchObject({ slug: 'overloaded' }))
    for (const { context } of waiting) context.close()
    await Promise.all(refusals)
    await endFirst()
    await endFirst()
    expect(running()).toEqual([])
  })
})

test('of the places for enqueues a key has a share, whose others wait for it; those of other keys do not', async () => {
  const places = 80
  const { begin, endFirst, running } = world(enqueueBounds(places))
  const [ofKey, count] = [places * keyEnqueuesShare, 2 * places]
  for (let n = 0; n < count; n += 1) begin('a', 'light')
  begin('other', 'light')
  await settled()
  expect(running().filter((name) => name === 'a')).toHaveLength(ofKey)
  expect(running()).toContain('other')
  for (let n = 0; n < count - ofKey; n += 1) await endFirst()
  expect(running().filter((name) => name === 'a')).toHaveLength(ofKey)
})

const contexts: RequestContext[] = []

afterEach(() => {
  for (const context of contexts.splice(0)) context.close()
})

/** Requests that go on until they are ended. */
function world(bounds: AdmissionBounds = connectionBounds(connections)) {
  const admission = createAdmission(bounds)
  const inWork: { readonly name: string; readonly end: () => void }[] = []
  return {
    running: () => inWork.map(({ name }) => name),
    endFirst: async () => {
      inWork.shift()?.end()
      await settled()
    },
    begin: (name: string | undefined, load: Load) => {
      const context = new RequestContext(undefined, undefined)
      context.principal = principalOf(name)
      contexts.push(context)
      const work = () => new Promise<void>((resolve) => inWork.push({ name: name ?? '', end: resolve }))
      const ended = admission.run(context, load, work)
      // Most of them are given up after the test.
      ended.catch(() => undefined)
      return { context, ended }
    },
  }
}

function principalOf(name: string | undefined): Principal {
  return name === undefined ? anonymous : { ...anonymous, who: { type: 'key', id: name } }
}

/** After every promise that can be settled. */
function settled(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}

describe('beside one key with 150 heavy reads that do not end', () => {
  let database: TestDatabase
  let api: ApiProcess
  let url: string

  beforeAll(async () => {
    database = await createTestDatabase()
    api = startApiProcess({
      DATABASE_URL: database.urlAs('api'),
      DATABASE_POOL_MAX: String(connections),
      API_KEYS: 'yes',
    })
    url = await api.url()
    await eventually(async () => (await fetch(`${url}/readyz`)).ok, { what: 'ready' })
  })

  afterAll(async () => {
    api.signal('SIGTERM')
    await api.ended()
    await database.close()
  })

  async function makeKey(id: string): Promise<Record<string, string>> {
    const secret = randomBytes(32)
    const digest = digestSecret(secret)
    await createKey(databaseOf(database.queue), { id, digest, name: id, role: 'admin', permissions: [] })
    return { authorization: `Bearer ${formatApiKey(id, secret)}`, 'content-type': 'application/json' }
  }

  test('another key reads and writes, and everybody gets an answer', async () => {
    const [abuser, victim] = [await makeKey('abuser01'), await makeKey('victim01')]
    const { id } = await insertJob(database)
    const owner = await database.pool.connect()
    // The list of queues reads workers, and nothing that the victim does.
    await owner.query('BEGIN; LOCK TABLE queue.workers IN ACCESS EXCLUSIVE MODE')
    const waitingForLock = async (): Promise<number> => {
      const { rowCount } = await owner.query(
        `SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()`,
      )
      return rowCount ?? 0
    }
    const reads = Array.from({ length: 150 }, async () => {
      const answer = await fetch(`${url}/queues`, { headers: abuser })
      await answer.arrayBuffer()
      return answer
    })
    await eventually(async () => (await waitingForLock()) > 0, { what: 'reads behind the lock' })
    const startedAtMs = performance.now()
    // For longer than a request may go on whose key cannot be verified.
    while (performance.now() - startedAtMs < keyUnverifiedMsMax + 500) {
      const read = await fetch(`${url}/jobs/${id}`, { headers: victim })
      const written = await fetch(`${url}/jobs`, {
        method: 'POST',
        headers: victim,
        body: JSON.stringify(email),
      })
      await Promise.all([read.arrayBuffer(), written.arrayBuffer()])
      expect([read.status, written.status]).toEqual([200, 201])
      expect(await waitingForLock()).toBeLessThanOrEqual(2)
    }
    await owner.query('COMMIT')
    owner.release()
    // Whoever waited for too long is refused, and nobody is cut off.
    const answers = await Promise.all(reads)
    for (const { status, headers } of answers) {
      if (status !== 200) expect([status, headers.get('retry-after')]).toEqual([429, '1'])
    }
    expect(answers.filter(({ status }) => status === 200).length).toBeGreaterThan(0)
  })
})
