import { expect, test } from '@jest/globals'
import { createQueue } from '@queue/core'
import { createMetricsRegistry } from '@queue/telemetry'
import { recordLogger } from '@queue/testing'
import { createApp } from '../../src/app.ts'
import { operations } from '../../src/operations/index.ts'

/** A layer of an Express router: a route, or a handler that may be a router. */
interface Layer {
  readonly route?: { readonly path: string | RegExp; readonly methods: Readonly<Record<string, boolean>> }
  readonly handle: { readonly stack?: readonly Layer[] }
}

/** The routes of a router and of those within it, with their methods. */
function routesOf(stack: readonly Layer[]): string[] {
  return stack.flatMap(({ route, handle }) => {
    if (route === undefined) return routesOf(handle.stack ?? [])
    const methods = Object.keys(route.methods).filter((method) => method !== '_all')
    return methods.map((method) => `${method.toUpperCase()} ${String(route.path)}`)
  })
}

/** Served before a credential is looked for: the pages of the dashboard, and what signs people in and out. */
const beforeCredentials = [
  'GET /dashboard/session',
  'POST /dashboard/session',
  'DELETE /dashboard/session',
  'POST /dashboard/session/issuer',
  'GET /dashboard/session/issuer',
  'GET /dashboard/assets/:name',
  String.raw`GET /^\/dashboard(?:\/(?!assets\/).*)?$/`,
]

test('every route is an operation, which the tests of permissions go through, or one that needs no credential', async () => {
  const never = () => Promise.reject(new Error('not called'))
  const queue = createQueue({ connectionString: 'postgres://nobody@127.0.0.1:1/none' })
  const app = createApp({
    queue,
    logger: recordLogger(),
    registry: createMetricsRegistry({ service: 'routes-test' }),
    readiness: never,
    authenticate: never,
    dashboard: { bundle: { page: '', assets: new Map() } },
    sessions: { open: never, openFor: never, find: never, close: never },
    signIn: { name: 'issuer', flow: { begin: never, finish: never } },
  })
  const served = routesOf(
    (app as unknown as { readonly router: { readonly stack: readonly Layer[] } }).router.stack,
  )
  const described = operations.map(
    ({ method, path }) => `${method.toUpperCase()} ${path.replaceAll(/\{(\w+)\}/g, ':$1')}`,
  )
  expect(served.toSorted()).toEqual([...described, ...beforeCredentials].toSorted())
  await queue.close()
})
