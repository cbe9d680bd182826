import { readFile, readdir } from 'node:fs/promises'
import path from 'node:path'
import { Readable } from 'node:stream'
import { describe, expect, test } from '@jest/globals'
import { InvalidInput, type JobDefinition, builtInJobs, createQueue, webhookDelivery } from '@queue/core'
import {
  findJsonFault,
  fingerprintSchema,
  instantInput,
  isJobId,
  isLogCursor,
  isTraceparent,
  jobFields,
  metadataNameSchema,
  parseApiKey,
  sensitiveSchema,
} from '@queue/core/internal'
import { isExactNumber, toCamelCase, toSnakeCase } from '@queue/core/plain'
import { processorMs } from '@queue/test-database'
import express, { type Request, type Response } from 'express'
import type { z } from 'zod'
import { createJobLinks } from '../../src/access/job-links.ts'
import { createTokenVerifier } from '../../src/access/oidc/token-verifier.ts'
import { requireCredential } from '../../src/http/authenticate.ts'
import { ownHosts, refuseForeignOrigin, requireOwnHost } from '../../src/http/foreign-pages.ts'
import { toProblem } from '../../src/http/handle-errors.ts'
import { assertAccepted, matchesEntityTag, parsePrefer } from '../../src/http/headers.ts'
import { parseJson, readJsonText } from '../../src/http/json-body.ts'
import { parseQuery } from '../../src/http/query.ts'
import { RequestContext } from '../../src/http/request-context.ts'
import { maxAgeMsOf } from '../../src/http/shared-operation.ts'
import { idempotencyKeyHeader } from '../../src/operations/enqueue/create-job-body.ts'
import { setLimit } from '../../src/operations/flow/write-limits.ts'
import { preferredWaitSeconds } from '../../src/operations/reads/wait-if-preferred.ts'
import { requeueJob } from '../../src/operations/transitions/requeue-job.ts'
import { pageQuery } from '../../src/wire/list-query.ts'

/** Four times what fits into the headers of a request. */
const lengthMax = 65_536
/** What is in proportion to the length takes a millisecond, with its square some seconds. */
const budgetMs = 100
const triesMax = 5

/** Whatever is done with a text of a request, by the file that does it. What it throws is of no interest. */
interface Taker {
  readonly take: (text: string) => unknown
  /** What a text begins with so that it gets past the beginning of a pattern. */
  readonly beginnings?: readonly string[]
}

const noAnswer = {} as Response
const answerInContext = { locals: { context: new RequestContext('id', undefined) } } as unknown as Response
const next = (): void => undefined
const ignore = () => undefined

function withHeaders(headers: Readonly<Record<string, string>>, url = '/jobs'): Request {
  const requestHeaders = { host: 'localhost', ...headers }
  const rawHeaders = Object.entries(requestHeaders).flat()
  const socket = { localAddress: '127.0.0.1' }
  return Object.assign(Object.create(express.request) as Request, {
    method: 'POST',
    url,
    headers: requestHeaders,
    rawHeaders,
    socket,
    httpVersion: '1.1',
  })
}

/** What reads a body needs a stream. */
function emptyBodyOf(contentType: string): Request {
  return Object.assign(Readable.from([]), { headers: { 'content-type': contentType } }) as unknown as Request
}

const isKind = (schema: z.ZodType) => (text: string) => schema.safeParse(text)
const payloadOf = (definition: JobDefinition, field: string, rest: object) => (text: string) =>
  definition.create({ ...rest, [field]: text })
const [sendEmail, resizeImage] = builtInJobs
const links = createJobLinks({ secret: 's', token: undefined, keys: undefined, nowMs: () => 0 })
const queue = createQueue({ connectionString: 'postgres://nobody@127.0.0.1:1/none' })

const verifyToken = createTokenVerifier({
  issuer: 'https://issuer.example',
  audiences: ['queue'],
  keys: { find: () => Promise.reject(new Error('no key')), version: () => undefined, warmUp: ignore },
  mapping: { rolesClaim: 'roles', roles: new Map(), tenantsClaim: undefined, allTenants: new Set() },
  nowMs: () => Date.now(),
})

const takers: Readonly<Record<string, readonly Taker[]>> = {
  'packages/core/src/domain/sensitive.ts': [
    { take: (pointer) => sensitiveSchema.safeParse([pointer]), beginnings: ['', '/', '/a'] },
  ],
  'apps/api/src/http/authenticate.ts': [
    {
      take: (authorization) =>
        requireCredential({
          token: 't',
          publicPaths: ['/docs/{asset}'],
          turns: { take: ignore },
          onRefused: ignore,
        })(withHeaders({ authorization }, '/docs/a/b'), answerInContext, next),
      beginnings: ['', 'Bearer ', 'bearer'],
    },
    {
      take: (target) =>
        requireCredential({
          token: 't',
          publicPaths: ['/livez', '/docs/{asset}'],
          turns: { take: ignore },
          onRefused: ignore,
        })(withHeaders({}, `/${target}`), answerInContext, next),
      beginnings: ['', 'docs/', 'docs', 'livez/'],
    },
  ],
  'apps/api/src/access/job-links.ts': [
    {
      take: (link) => void links.open(link),
      beginnings: [
        '',
        'a',
        `${'0'.repeat(36)}.`,
        `${'0'.repeat(36)}.key-abcdefgh.`,
        `${'0'.repeat(36)}.token.1234567890123.`,
      ],
    },
  ],
  'apps/api/src/http/foreign-pages.ts': [
    {
      take: (host) => ownHosts(['*.example.com', 'a'])(host, '127.0.0.1'),
      beginnings: ['', '[', 'a', 'localhost'],
    },
    {
      take: (origin) => refuseForeignOrigin(withHeaders({ origin }), noAnswer, next),
      beginnings: ['', 'http', 'http://', 'https://localhost', 'https://localhost:'],
    },
    {
      take: (host) => requireOwnHost(() => true)(withHeaders({ host }), noAnswer, next),
      beginnings: ['', '[', '[::', 'a', 'localhost:'],
    },
    {
      take: (target) => requireOwnHost(() => true)(withHeaders({}, target), noAnswer, next),
      beginnings: ['', 'http', 'http://', 'http://a', 'https://a@'],
    },
  ],
  'apps/api/src/http/handle-errors.ts': [
    { take: (name) => toProblem(new InvalidInput('invalid_job', [{ path: ['a', name], message: name }])) },
  ],
  'apps/api/src/http/headers.ts': [
    {
      take: (accept) => assertAccepted(withHeaders({ accept }), 'application/json'),
      beginnings: ['', 'a/b', 'a/b;q="', 'application/json', '*/*;'],
    },
    { take: parsePrefer, beginnings: ['', 'wait', 'wait=', 'a="', 'a=b;', 'wait =', ' '] },
    { take: (header) => matchesEntityTag(header, '"tag"'), beginnings: ['', 'W/', '"', 'W/"a",'] },
  ],
  'apps/api/src/http/json-body.ts': [
    {
      take: parseJson,
      beginnings: ['', '"', '[', '{"a":', '[-0', '[1.', '{"__proto__":', '"\\', '[[[[[[', '{"a'],
    },
    {
      take: (type) => void readJsonText(emptyBodyOf(type)).catch(ignore),
      beginnings: [
        '',
        'application/json',
        'application/json;',
        'application/json;charset',
        'application/json; charset="utf-8"',
      ],
    },
  ],
  'apps/api/src/http/query.ts': [
    { take: (query) => parseQuery(`/jobs?${query}`), beginnings: ['', 'a=', 'a&', '%', 'a=%E0'] },
  ],
  'apps/api/src/http/request-context.ts': [{ take: (id) => new RequestContext(id, undefined) }],
  'packages/core/src/domain/exact-number.ts': [
    { take: (source) => isExactNumber(source, Number(source)), beginnings: ['', '1', '-0.', '1e', '0.0'] },
  ],
  'packages/core/src/domain/names.ts': [{ take: toCamelCase }, { take: toSnakeCase }],
  'apps/api/src/http/shared-operation.ts': [
    { take: maxAgeMsOf, beginnings: ['', 'max-age=', 'a,max-age=1', 'max-age=1 '] },
  ],
  'apps/api/src/operations/reads/wait-if-preferred.ts': [
    { take: (wait) => preferredWaitSeconds(new Map([['wait', wait]])), beginnings: ['', '1'] },
  ],
  'apps/api/src/operations/enqueue/create-job-body.ts': [{ take: isKind(idempotencyKeyHeader) }],
  'apps/api/src/wire/list-query.ts': [{ take: isKind(pageQuery.limit) }, { take: isKind(pageQuery.cursor) }],
  'packages/core/src/domain/wire-values.ts': [
    {
      take: isKind(instantInput),
      beginnings: ['', '2', '2026-01-01T00:00:00', '2026-01-01T00:00:00.1', '2026-01-01T00:00:00+'],
    },
  ],
  'packages/core/src/access/api-key-text.ts': [
    { take: parseApiKey, beginnings: ['', 'queue_', 'queue_abcdefgh_'] },
  ],
  'packages/core/src/domain/built-in-jobs.ts': [
    {
      take: payloadOf(sendEmail, 'to', { subject: 's', body: '' }),
      beginnings: ['', 'a', 'a@', 'a@b', 'a@b.', '.'],
    },
    { take: (name) => webhookDelivery.create({ url: 'http://a/', headers: { [name]: name } }) },
  ],
  'packages/core/src/domain/http-url.ts': [
    {
      take: payloadOf(resizeImage, 'source_url', { width: 1, height: 1 }),
      beginnings: [
        '',
        'http',
        'http:',
        'http://',
        'https://a',
        'http://a/',
        'http://a/?',
        'http://[',
        'http://xn--',
        'http:\t//',
      ],
    },
  ],
  'packages/core/src/domain/job-id.ts': [
    { take: isJobId, beginnings: ['', '01980d3c-7a1e-7c3a-9f52-3b1f6c0de001'] },
  ],
  'packages/core/src/domain/job.ts': [
    { take: isKind(jobFields.queue) },
    { take: isKind(jobFields.tenantId) },
    { take: isKind(jobFields.idempotencyKey) },
  ],
  'packages/core/src/domain/json.ts': [
    {
      take: (text) =>
        webhookDelivery.create({ url: 'http://a/', body: [text, text.length, { [text]: 1e300 }] }),
    },
    { take: (text) => findJsonFault(text, { depthMax: 1 }), beginnings: ['', '\ud800'] },
  ],
  'packages/core/src/domain/trace-context.ts': [
    { take: isTraceparent, beginnings: ['', '00-', '00-4bf92f3577b34da6a3ce929d0e0e4736-'] },
  ],
  'packages/core/src/database/position.ts': [
    { take: (cursor) => void queue.audit.list({ cursor }).catch(ignore) },
    { take: (cursor) => void queue.deadLetters.list({ cursor }).catch(ignore) },
  ],
  'packages/core/src/domain/fingerprint.ts': [{ take: (text) => fingerprintSchema.safeParse(text) }],
  'packages/core/src/domain/log-line.ts': [
    {
      take: (text) => isLogCursor(Buffer.from(text).toString('base64url')),
      beginnings: ['', 'log ', 'log 1 '],
    },
  ],
  'packages/core/src/domain/metadata.ts': [{ take: (name) => metadataNameSchema.safeParse(name) }],
  'apps/api/src/operations/transitions/requeue-job.ts': [
    { take: (text) => requeueJob.query?.safeParse({ expires_in_ms: text }) },
  ],
  'apps/api/src/operations/flow/write-limits.ts': [
    { take: (tag) => setLimit.headers?.safeParse({ 'if-match': tag }), beginnings: ['', 'W/', '"'] },
  ],
  'apps/api/src/access/oidc/token-verifier.ts': [
    { take: (token) => void verifyToken(token).catch(ignore), beginnings: ['', 'a.', 'a.a.'] },
  ],
  'packages/core/src/flow/list-limits.ts': [
    {
      take: (text) =>
        void queue.limits.list({ cursor: Buffer.from(`limits ${text}`).toString('base64url') }).catch(ignore),
      beginnings: ['', 'q key '],
    },
  ],
  'packages/core/src/reads/list-jobs.ts': [{ take: (cursor) => void queue.list({ cursor }).catch(ignore) }],
}

/** Their patterns are used on our own names, and on the configuration, alone. */
const meetNoRequest = new Set([
  'apps/api/src/access/oidc/issuer-keys.ts',
  'apps/api/src/access/oidc/issuer-url.ts',
  'apps/api/src/access/oidc/read-discovery.ts',
  'apps/api/src/http/router.ts',
  'packages/core/src/access/rate.ts',
  'packages/core/src/database/tables.ts',
  'packages/core/src/domain/job-key.ts',
  'packages/core/src/domain/payload-schema.ts',
])

const pumps = [
  ' ',
  '\t',
  'a',
  'A',
  '0',
  '-',
  '.',
  ',',
  ';',
  '=',
  '"',
  '\\',
  '\\"',
  '/',
  ':',
  '%41',
  '%',
  '&',
  '+',
  'a,',
  'a;',
  'a=',
  '" ',
  ' ,',
  'é',
  'a.',
  '"a",',
  'a/b,',
  '[',
  '{',
  '[],',
  '1,',
  '\ud800',
]
const ends = ['', 'x', '!', '"', ' ', '\u0000', '@']

/** Letters of which none comes twice soon: a host name of them takes punycode time with the square of their number. */
const distinct = [Number.POSITIVE_INFINITY, 20].map((labelLength) =>
  Array.from({ length: lengthMax }, (_, n) =>
    n % labelLength === labelLength - 1 ? '.' : String.fromCodePoint(0x4e00 + ((n * 7_919) % 20_000)),
  ).join(''),
)

function* texts(beginnings: readonly string[], length: number): Generator<string> {
  for (const beginning of beginnings) {
    for (const pump of pumps) {
      const pumped = pump.repeat(length / pump.length)
      for (const end of ends) yield beginning + pumped + end
    }
    for (const text of distinct) yield beginning + text.slice(0, length)
  }
}

/** Milliseconds of processor time of the quickest of some tries, of which the first within the budget ends them. */
function quickest(work: () => unknown): number {
  let best = Number.POSITIVE_INFINITY
  for (let tries = 0; tries < triesMax && best > budgetMs; tries += 1) {
    const tookMs = processorMs(() => {
      try {
        work()
      } catch {
        // To refuse it is the usual answer.
      }
    })
    best = Math.min(best, tookMs)
  }
  return best
}

describe(`what meets a request takes no more than ${budgetMs} ms for ${lengthMax} characters:`, () => {
  test.each(Object.entries(takers))('%s', (_file, some) => {
    for (const { take, beginnings = [''] } of some) {
      // The short ones first, so that what is exponential does not hang.
      for (const length of [24, 2_048, lengthMax]) {
        for (const text of texts(beginnings, length)) {
          const ms = quickest(() => take(text))
          if (ms > budgetMs) {
            throw new Error(`${text.length} characters take ${ms} ms: ${JSON.stringify(text.slice(0, 80))}…`)
          }
        }
      }
    }
  })
})

const repository = path.resolve(import.meta.dirname, '..', '..', '..', '..')
const folders = [
  ...['access', 'http', 'operations', 'wire', 'watch'].map((folder) => `apps/api/src/${folder}`),
  ...['access', 'audit', 'database', 'domain', 'flow', 'reads'].map(
    (folder) => `packages/core/src/${folder}`,
  ),
]
const comments = /\/\*[^]*?\*\/|\/\/ .*$/gm
/** A regular expression where an expression may begin, or a format of zod's, which is one too. */
const pattern =
  /(?:[=(,:?|&[{!\n]|\breturn)\s*\/(?![*/\s])(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n[])+\/[dgimsuvy]*|\bz\s*\.(?:iso|email|url)\b/

test('every file with a pattern that can meet a request is named above', async () => {
  const found: string[] = []
  for (const folder of folders) {
    const names = await readdir(path.join(repository, folder), { recursive: true })
    for (const name of names.filter((one) => one.endsWith('.ts'))) {
      const text = await readFile(path.join(repository, folder, name), 'utf8')
      if (pattern.test(text.replaceAll(comments, ''))) found.push(`${folder}/${name}`)
    }
  }
  const unnamed = found.filter((file) => !(file in takers) && !meetNoRequest.has(file))
  expect(found.length).toBeGreaterThan(10)
  expect(unnamed).toEqual([])
})
