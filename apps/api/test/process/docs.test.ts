import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { createQueue } from '@queue/core'
import { problemTypes } from '../../src/http/problem-types.ts'
import { documentText } from '../../src/openapi/build-document.ts'
import { operations } from '../../src/operations/index.ts'
import { document, documentUrl, faultsBySchema, pointerTo } from '@queue/test-http'
import { rawRequest } from '../support/raw-request.ts'
import { startApi, type TestApi } from '../support/start-api.ts'

const queue = createQueue({ connectionString: 'postgres://nobody@127.0.0.1:1/none' })
let api: TestApi

beforeAll(async () => {
  api = await startApi({ queue, readiness: () => Promise.reject(new Error('not asked')) })
})

afterAll(() => api.close())

const documented = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({
    name: `${method} ${path}`,
    path,
    method,
    operation,
  })),
)

describe('openapi.json', () => {
  test('is what `pnpm --filter @queue/api-app openapi` would write', () => {
    expect(readFileSync(documentUrl, 'utf8')).toBe(documentText())
  })

  test('is what the server serves', async () => {
    const { status, text } = await api.fetch('/api-docs/openapi.json')
    expect(status).toBe(200)
    expect(JSON.parse(text)).toEqual(JSON.parse(documentText()))
  })

  test('has every route that the router has, and no other', () => {
    const routes = operations.map(({ method, path }) => `${method} ${path}`)
    expect(documented.map(({ name }) => name).toSorted()).toEqual(routes.toSorted())
  })

  test('gives every operation an id of its own', () => {
    const ids = documented.map(({ operation }) => operation.operationId)
    expect(new Set(ids).size).toBe(ids.length)
  })

  test.each(documented)('$name is described', ({ operation }) => {
    expect(operation.tags).toHaveLength(1)
    expect(operation.summary).not.toBe('')
    expect(operation.description).not.toBe('')
    for (const parameter of operation.parameters) expect(parameter.description).not.toBe(undefined)
    expect(Object.keys(operation.responses)).toEqual(
      expect.arrayContaining(['400', '406', '408', '431', '500', '504']),
    )
  })

  test.each(documented)('$name has examples that its schemas accept', ({ path, method, operation }) => {
    const body = operation.requestBody?.content['application/json']
    for (const { value } of Object.values(body?.examples ?? {})) {
      const pointer = pointerTo('paths', path, method, 'requestBody', 'content', 'application/json', 'schema')
      expect(faultsBySchema(pointer, value)).toEqual([])
    }
    for (const [status, { content = {} }] of Object.entries(operation.responses)) {
      for (const [type, { example }] of Object.entries(content)) {
        if (example === undefined) continue
        const pointer = pointerTo('paths', path, method, 'responses', status, 'content', type, 'schema')
        expect(faultsBySchema(pointer, example)).toEqual([])
      }
    }
  })

  test('suggests no value by which two requests would be one, or of one trace', () => {
    const ofOne = /idempotency|traceparent/i
    const suggested: string[] = []
    for (const { name, operation } of documented) {
      for (const { name: parameter, schema = {}, ...rest } of operation.parameters) {
        if (ofOne.test(parameter) && suggests({ ...schema, ...rest })) suggested.push(`${name} ${parameter}`)
      }
      if (ofOne.test(JSON.stringify(operation.requestBody ?? {}))) suggested.push(name)
    }
    for (const [name, schema] of Object.entries(document.components.schemas)) {
      const { properties = {} } = schema as { readonly properties?: Readonly<Record<string, object>> }
      for (const [member, one] of Object.entries(properties)) {
        if (ofOne.test(member) && suggests(one)) suggested.push(`${name} ${member}`)
      }
    }
    expect(suggested).toEqual([])
  })

  test('has an example of each problem that an operation can answer', () => {
    for (const [slug, { value }] of Object.entries(document.components.examples)) {
      expect(value).toMatchObject({
        error: slug,
        status: problemTypes[slug as keyof typeof problemTypes].status,
      })
      expect(faultsBySchema('/components/schemas/Problem', value)).toEqual([])
    }
  })

  test('has no reference that leads nowhere, and no component that nothing refers to', () => {
    const text = documentText()
    const references = new Set(
      [...text.matchAll(/"(?:\$ref|\w+)": "#\/components\/([^"]+)"/g)].map(([, name = '']) => name),
    )
    const { securitySchemes: _named, ...components } = JSON.parse(text).components as Record<string, object>
    const names = Object.entries(components).flatMap(([type, ones]) =>
      Object.keys(ones).map((name) => `${type}/${name}`),
    )
    const referredTo = new Set([...references].map((name) => name.replace(/\/\$defs.*/, '')))
    expect([...referredTo].toSorted()).toEqual(names.toSorted())
  })

  test('says each error response and each parameter of several operations once', () => {
    const { paths } = JSON.parse(documentText()) as typeof document
    const described = Object.values(paths).flatMap((methods) => Object.values(methods))
    const said = described.flatMap(({ parameters, responses }) => [
      ...parameters,
      ...Object.entries(responses).flatMap(([status, response]) => (Number(status) < 400 ? [] : [response])),
    ])
    const inFull = said.filter((one) => !('$ref' in one)).map((one) => JSON.stringify(one))
    expect(inFull).toHaveLength(new Set(inFull).size)
  })
})

/** Whether a page has something to fill in for whoever tries it out. */
function suggests(described: object): boolean {
  return ['example', 'examples', 'default'].some((name) => name in described)
}

describe('without documentation', () => {
  const token = 'a-token-of-these-tests'
  const paths = ['/docs', '/docs/swagger-ui.css', '/docs/swagger-ui-init.js', '/api-docs/openapi.json']
  let bare: TestApi

  beforeAll(async () => {
    const readiness = () => Promise.reject(new Error('not asked'))
    bare = await startApi({ queue, readiness, token, docs: 'off' })
  })

  afterAll(() => bare.close())

  test.each(paths)('there is no %s', async (path) => {
    const authorization = `Bearer ${token}`
    expect((await fetch(bare.base + path, { headers: { authorization } })).status).toBe(404)
    expect((await fetch(bare.base + path)).status).toBe(401)
  })

  test('everything else is there', async () => {
    expect((await bare.fetch('/livez')).status).toBe(200)
    expect((await bare.fetch('/jobs')).status).toBe(401)
  })
})

describe('/docs', () => {
  test('is a page that loads nothing but what is here and needs no inline script', async () => {
    const page = await api.fetch('/docs')
    expect(page.status).toBe(200)
    expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8')
    const urls = [...page.text.matchAll(/\b(?:src|href)="([^"]+)"/g)].map(([, url]) => url ?? '')
    expect(urls).toEqual(expect.arrayContaining(['/docs/swagger-ui-bundle.js', '/docs/swagger-ui.css']))
    expect(page.text).not.toMatch(/<script(?![^>]*\bsrc=)[^>]*>\s*\S/)
    for (const url of urls) {
      const asset = await api.fetch(url)
      expect([url, asset.status]).toEqual([url, 200])
      expect(asset.text.length).toBeGreaterThan(100)
    }
  })

  test('allows by its policy what the page does, and nothing else', async () => {
    const policy = (await api.fetch('/docs')).headers.get('content-security-policy') ?? ''
    expect(policy.split(';').toSorted()).toEqual([
      "base-uri 'none'",
      "default-src 'self'",
      "font-src 'self' data:",
      "form-action 'self'",
      "frame-ancestors 'none'",
      "img-src 'self' data:",
      "object-src 'none'",
      "script-src 'self'",
      "script-src-attr 'none'",
      "style-src 'self' 'unsafe-inline'",
    ])
  })

  test('reads the document from here and asks no one else about it', async () => {
    const script = await api.fetch('/docs/swagger-ui-init.js')
    expect(script.headers.get('content-type')).toMatch(/^application\/javascript/)
    expect(script.text).toContain('"swaggerUrl": "/api-docs/openapi.json"')
    expect(script.text).toContain('"validatorUrl": null')
  })

  test('does not have the browser keep the token', async () => {
    expect((await api.fetch('/docs/swagger-ui-init.js')).text).toContain('"persistAuthorization": false')
  })

  test('has assets that are cached by their tags, whole or not at all', async () => {
    const etag = (await api.fetch('/docs/swagger-ui.css')).headers.get('etag')
    // With a condition of its own, fetch asks caches to stay out of it.
    const request = `GET /docs/swagger-ui.css HTTP/1.1\r\nHost: localhost\r\nIf-None-Match: ${etag}\r\nConnection: close\r\n\r\n`
    expect((await rawRequest(api.port, request)).status).toBe(304)
    for (const range of ['bytes=0-9', 'bytes=99999999-', 'nonsense']) {
      expect((await api.fetch('/docs/swagger-ui.css', { headers: { range } })).status).toBe(200)
    }
    const failing = await api.fetch('/docs/swagger-ui.css', { headers: { 'if-match': '"x"' } })
    expect(failing.status).toBe(200)
  })

  test.each([
    'package.json',
    'index.html',
    'README.md',
    'LICENSE',
    'swagger-ui.css.map',
    '..%2f..%2fpackage.json',
    '%00',
  ])('has no asset %s', async (asset) => {
    expect((await api.fetch(`/docs/${asset}`)).status).toBe(404)
  })
})
