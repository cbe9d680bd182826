import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { createQueue, type Permission } from '@queue/core'
import { permissions } from '@queue/core/internal'
import type { Operation } from '../../src/http/operation.ts'
import { operations } from '../../src/operations/index.ts'
import { document } from '@queue/test-http'
import { startApi, type TestApi } from '../support/start-api.ts'

const id = '01980d3c-7a1e-7c3a-9f52-3b1f6c0de001'
const guarded = operations.filter(({ permission }) => permission !== 'none' && permission !== 'any')
const named = guarded.map((operation) => ({ name: operation.operationId, operation }))
const queue = createQueue({ connectionString: 'postgres://nobody@127.0.0.1:1/none' })
let api: TestApi

beforeAll(async () => {
  const readiness = () => Promise.reject(new Error('not asked'))
  /** A credential of these tests is the list of what it permits. */
  const authenticate = async (credential: string) =>
    credential === 'nobody'
      ? undefined
      : {
          permissions: new Set(credential.split(',') as Permission[]),
          who: { type: 'key' as const, id: 'any' },
        }
  api = await startApi({ queue, readiness, authenticate })
})

afterAll(() => api.close())

function request(
  { method, path, body }: Operation,
  credential?: string,
): Promise<{ status: number; body: object }> {
  return api.fetch(path.replace('{id}', id).replace('{name}', 'default'), {
    method: method.toUpperCase(),
    headers: {
      ...(credential === undefined ? {} : { authorization: `Bearer ${credential}` }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    // Whoever may not call the operation is refused before a body is read.
    ...(body === undefined ? {} : { body: '{' }),
  })
}

describe.each(named)('$name', ({ operation }) => {
  test('is refused without credentials', async () => {
    expect(await request(operation)).toMatchObject({ status: 401, body: { error: 'unauthorized' } })
    expect(await request(operation, 'nobody')).toMatchObject({ status: 401, body: { error: 'unauthorized' } })
  })

  test('is refused without its permission, which the 403 names, and served with it alone', async () => {
    const { permission } = operation
    const others = permissions.filter((one) => one !== permission)
    for (const one of [...others, others.join(',')]) {
      const refused = await request(operation, one)
      expect(refused).toMatchObject({ status: 403, body: { error: 'forbidden', permission } })
    }
    // There is no database: whoever is let in learns that, or that the body or the id is none.
    expect([200, 400, 404, 503]).toContain((await request(operation, permission)).status)
  })

  test('is documented with its permission', () => {
    expect(document.paths[operation.path]?.[operation.method]).toMatchObject({
      security: [{ bearer: [operation.permission] }, {}],
      responses: { 401: {}, 403: {} },
    })
  })
})

describe('an operation for whoever has a credential', () => {
  const any = operations.filter(({ permission }) => permission === 'any')

  test.each(any.map((operation) => ({ name: operation.operationId, operation })))(
    '$name',
    async ({ operation }) => {
      expect(await request(operation)).toMatchObject({ status: 401, body: { error: 'unauthorized' } })
      expect(await request(operation, 'nobody')).toMatchObject({ status: 401 })
      expect(await request(operation, 'jobs:enqueue')).toMatchObject({
        status: 200,
        body: { permissions: ['jobs:enqueue'], tenant_id: null },
      })
      expect(document.paths[operation.path]?.[operation.method]).toMatchObject({
        security: [{ bearer: [] }, {}],
      })
    },
  )
})

test('every permission is needed by an operation, or for what its answer shows', () => {
  const needed = [...guarded.map(({ permission }) => permission), 'payload:read']
  expect(new Set(needed)).toEqual(new Set(permissions))
})
