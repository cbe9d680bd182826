import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { type DatabaseApi, startDatabaseApi } from '../support/start-api.ts'

let api: DatabaseApi

beforeAll(async () => {
  api = await startDatabaseApi()
})

afterAll(() => api.close())

type Headers = Readonly<Record<string, string>>

const write = (method: 'PUT' | 'PATCH', body: object, headers: Headers = {}) =>
  api.fetch('/limits', {
    method,
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  })

const remove = ({ queue, scope }: { queue: string; scope: string }, headers: Headers = {}) =>
  api.fetch(`/limits?queue=${queue}&scope=${scope}`, { method: 'DELETE', headers })

const read = async (queue: string) => (await api.fetch(`/limits?queue=${queue}`)).body.data?.[0]

const none = { 'if-none-match': '*' } as const
const changed = { status: 412, body: { error: 'limit_changed' } }

describe('a change of a limit that names the version it is for', () => {
  test('is made if the limit is as it was read, and refused otherwise', async () => {
    const target = { queue: 'tagged', scope: 'queue' }
    const first = await write('PUT', { ...target, max_running: 1 }, none)
    expect(first.status).toBe(200)
    const tag = first.headers.get('etag') ?? ''
    expect(tag).toBe(`"${String(first.body.updated_at)}"`)
    expect(await write('PUT', { ...target, max_running: 2 }, none)).toMatchObject(changed)
    const second = await write('PATCH', { ...target, max_running: 3 }, { 'if-match': tag })
    expect(second).toMatchObject({ status: 200, body: { max_running: 3 } })
    for (const late of [
      await write('PUT', { ...target, max_running: 4 }, { 'if-match': tag }),
      await write('PATCH', { ...target, max_running: 4 }, { 'if-match': tag }),
      await remove(target, { 'if-match': tag }),
    ]) {
      expect(late).toMatchObject(changed)
    }
    expect(await read('tagged')).toMatchObject({ max_running: 3 })
    const latest = { 'if-match': second.headers.get('etag') ?? '' }
    expect(await remove(target, latest)).toMatchObject({ status: 204 })
    expect(await write('PUT', { ...target, max_running: 5 }, latest)).toMatchObject(changed)
    expect(await write('PATCH', { ...target, max_running: 5 }, latest)).toMatchObject(changed)
    expect(await remove(target, latest)).toMatchObject({ status: 404 })
  })

  test('succeeds again if it is made already, because its reply may be lost', async () => {
    const target = { queue: 'repeated', scope: 'queue', max_running: 1 }
    const first = await write('PUT', target, none)
    const again = await write('PUT', target, none)
    expect([again.status, again.body]).toEqual([200, first.body])
    const tag = { 'if-match': first.headers.get('etag') ?? '' }
    const change = { ...target, max_running: 2 }
    const second = await write('PATCH', change, tag)
    const repeated = await write('PATCH', change, tag)
    expect([repeated.status, repeated.body]).toEqual([200, second.body])
  })

  test.each([
    [{ 'if-match': 'nonsense' }, 'invalid_header'],
    [{ 'if-none-match': '"a"' }, 'invalid_header'],
    [{ 'if-match': '"2026-02-30T00:00:00.000Z"' }, 'limit_changed'],
    [{ 'if-match': '"another-tag"' }, 'limit_changed'],
    [{ 'if-match': '"2026-01-15T09:30:00.000Z"', 'if-none-match': '*' }, 'limit_changed'],
  ])('is refused with %j as %s', async (headers: Headers, error) => {
    const answer = await write('PUT', { queue: 'odd', scope: 'queue', max_running: 1 }, headers)
    expect(answer).toMatchObject({ status: error === 'limit_changed' ? 412 : 400, body: { error } })
  })

  const rounds = 200
  test('never undoes a change beside it that was answered with success', async () => {
    const target = { queue: 'raced', scope: 'queue' }
    let undone = 0
    for (let round = 1; round <= rounds; round += 1) {
      await remove(target)
      const isNew = round % 3 === 0
      if (!isNew) await write('PUT', { ...target, max_running: 1 })
      const act = round % 3 === 1 ? await remove(target) : await write('PUT', { ...target, max_running: 2 })
      const after = act.status === 204 ? none : { 'if-match': act.headers.get('etag') ?? '' }
      const undo = () => (isNew ? remove(target, after) : write('PUT', { ...target, max_running: 1 }, after))
      const other = () => write(round % 2 === 0 ? 'PUT' : 'PATCH', { ...target, max_running: 1_000 + round })
      const both = round % 4 < 2 ? [undo(), other()] : [other(), undo()]
      const statuses = (await Promise.all(both)).map(({ status }) => status)
      const undoStatus = statuses[round % 4 < 2 ? 0 : 1]
      expect([200, 204, 404, 412]).toContain(undoStatus)
      if (undoStatus === 200 || undoStatus === 204) undone += 1
      // Whichever came first, the other's change is what remains.
      expect([round, await read('raced')]).toMatchObject([round, { max_running: 1_000 + round }])
    }
    expect(undone).toBeGreaterThan(0)
    expect(undone).toBeLessThan(rounds)
  })
})
