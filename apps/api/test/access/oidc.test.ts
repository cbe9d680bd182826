import { createHmac, createPublicKey } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { createQueue, createTenantQueues, type Queue, type TenantQueues, type KeyRole } from '@queue/core'
import { rolePermissions, databaseOf } from '@queue/core/internal'
import { createReadiness } from '@queue/service'
import {
  createTestDatabase,
  eventually,
  insertJob,
  skippedBehindPooler,
  type TestDatabase,
} from '@queue/test-database'
import type { JWK, JWTPayload } from 'jose'
import { createJobLinks } from '../../src/access/job-links.ts'
import { createIssuerKeys } from '../../src/access/oidc/issuer-keys.ts'
import type { ClaimMapping } from '../../src/access/oidc/token-claims.ts'
import { createTokenVerifier } from '../../src/access/oidc/token-verifier.ts'
import {
  issuerAnswerBytesMax,
  issuerKeysCheckMs,
  issuerKeysReadMsMin,
  issuerKeysStaleMs,
  tokenCacheMs,
  tokenClockToleranceSeconds,
} from '../../src/http/limits.ts'
import { buildDocument } from '../../src/openapi/build-document.ts'
import { type ApiProcess, startApiProcess } from '../support/api-process.ts'
import { checkedFetch } from '../support/checked-fetch.ts'
import { email } from '../support/requests.ts'
import { startApi, type TestApi } from '../support/start-api.ts'
import { type IssuerKey, issuerKey, startIssuer, type TestIssuer } from '../support/test-issuer.ts'

const audience = 'queue-of-these-tests'
const mapping: ClaimMapping = {
  rolesClaim: '/realm_access/roles',
  roles: new Map<string, KeyRole>([
    ['queue-admins', 'admin'],
    ['readers', 'read'],
    ['support', 'operate'],
  ]),
  tenantsClaim: 'tenants',
  allTenants: new Set(['support']),
}

let database: TestDatabase
let queue: Queue
let tenants: TenantQueues
let issuer: TestIssuer
let first: IssuerKey
let api: TestApi
/** Milliseconds since the start of these tests: of both clocks. */
let passedMs = 0
const beganAtMs = Date.now()
const nowMs = (): number => beganAtMs + passedMs

beforeAll(async () => {
  database = await createTestDatabase()
  queue = createQueue({ connectionString: database.urlAs('api') })
  tenants = createTenantQueues({
    queue,
    connectionString: database.urlAs('api_tenant'),
  })
  first = await issuerKey('first')
})

afterAll(async () => {
  await tenants.close()
  await queue.close()
  await database.close()
})

beforeEach(async () => {
  issuer = await startIssuer(first)
  api = await serve({})
})

afterEach(async () => {
  await api.close()
  await issuer.close()
})

interface Served {
  readonly mapping?: Partial<ClaimMapping>
}

/** An API that accepts the tokens of the issuer. */
function serve({ mapping: other = {} }: Served): Promise<TestApi> {
  const { url } = issuer
  const keys = createIssuerKeys({ issuer: url, logger: { warn: () => undefined }, nowMs })
  return startApi({
    queue,
    queueOf: ({ tenantId = '' }) => tenants.of({ tenantId }),
    readiness: createReadiness({ database: databaseOf(queue) }),
    authenticate: createTokenVerifier({
      issuer: url,
      audiences: [audience, 'another'],
      keys,
      mapping: { ...mapping, ...other },
      nowMs,
    }),
    jobLinks: createJobLinks({
      secret: 'a-secret-of-these-tests',
      token: undefined,
      issuer: url,
      keys: undefined,
      nowMs,
    }),
  })
}

const seconds = (): number => Math.floor(nowMs() / 1_000)

/** What a token of a subject with these roles and tenants says. */
function claims(roles: unknown, ofTenants?: unknown, others: object = {}): JWTPayload {
  return {
    iss: issuer.url,
    aud: [audience, 'something-else'],
    sub: 'user-17',
    email: 'someone@example.com',
    exp: seconds() + 300,
    iat: seconds(),
    realm_access: { roles },
    ...(ofTenants !== undefined && { tenants: ofTenants }),
    ...others,
  }
}

const bearer = (token: string, tenant?: string) => ({
  headers: {
    authorization: `Bearer ${token}`,
    ...(tenant !== undefined && { 'queue-tenant': tenant }),
  },
})

async function statusOf(token: string, { path = '/jobs', tenant = undefined as string | undefined } = {}) {
  return (await api.fetch(path, bearer(token, tenant))).status
}

const support = (others: object = {}) => claims(['support'], undefined, others)

describe('a token', () => {
  test.each(['RS256', 'PS256', 'ES256', 'EdDSA'])(
    'that is signed by %s opens, as an access token too',
    async (alg) => {
      const key = await issuerKey(alg, alg)
      issuer.keys.push(key)
      expect(await statusOf(await key.sign(support()))).toBe(200)
      expect(await statusOf(await key.sign(support(), { typ: 'at+jwt' }))).toBe(200)
    },
  )

  test('is refused in the same words, whatever is wrong with it', async () => {
    const stranger = await issuerKey('stranger')
    const impostor = await issuerKey('first')
    const at = seconds()
    const good = await first.sign(support())
    const [head = '', body = '', signature = ''] = good.split('.')
    const leeway = tokenClockToleranceSeconds
    const credentials = {
      'no token': 'not.a-token',
      'no JSON': 'bm8.bm8.bm8',
      'of another key': await stranger.sign(support()),
      'of another key that has its name': await impostor.sign(support()),
      'alg none': `${encode({ alg: 'none', kid: 'first' })}.${body}.`,
      'alg none with a signature': `${encode({ alg: 'none', kid: 'first' })}.${body}.${signature}`,
      'HS256 with the public key': confused(),
      changed: `${head}.${encode({ ...support(), sub: 'user-18' })}.${signature}`,
      'of another issuer': await first.sign(support({ iss: `${issuer.url}/` })),
      'for another audience': await first.sign(support({ aud: ['something-else'] })),
      'for no audience': await first.sign(support({ aud: undefined })),
      expired: await first.sign(support({ exp: at - leeway - 1 })),
      'without an end': await first.sign(support({ exp: undefined })),
      'not valid yet': await first.sign(support({ nbf: at + leeway + 5 })),
      'without a subject': await first.sign(support({ sub: undefined })),
      'with a subject that cannot be written': await first.sign(support({ sub: 'a\u0000b' })),
      'for a logout': await first.sign(support(), { typ: 'logout+jwt' }),
    }
    const answers = new Map<string, string[]>()
    for (const [name, credential] of Object.entries(credentials)) {
      const { status, text, headers } = await api.fetch('/jobs', bearer(credential))
      const answer = JSON.stringify([status, text, headers.get('www-authenticate')])
      answers.set(answer, [...(answers.get(answer) ?? []), name])
    }
    expect([...answers.values()]).toEqual([Object.keys(credentials)])
    expect([...answers.keys()][0]).toMatch(/^\[401,/)
    expect(await statusOf(good)).toBe(200)
  })

  test('is let in within the difference of clocks, and no longer than its end and that', async () => {
    const leeway = tokenClockToleranceSeconds
    expect(await statusOf(await first.sign(support({ exp: seconds() - leeway + 5 })))).toBe(200)
    expect(await statusOf(await first.sign(support({ nbf: seconds() + leeway - 5 })))).toBe(200)
    const short = await first.sign(support({ exp: seconds() + 10 }))
    expect(await statusOf(short)).toBe(200)
    passedMs += (10 + leeway) * 1_000
    expect(await statusOf(short)).toBe(401)
  })

  test('leaves nothing of itself in the log', async () => {
    const stranger = await (await issuerKey('stranger')).sign(support())
    expect(await statusOf(stranger)).toBe(401)
    expect(JSON.stringify(api.log)).toContain('a request without a valid credential was refused')
    expect(JSON.stringify(api.log)).not.toContain(stranger.split('.')[1])
  })

  /** A token by an HMAC whose key is the text of the public one. */
  function confused(): string {
    const { publicJwk } = first
    const pem = createPublicKey({ key: publicJwk, format: 'jwk' }).export({ type: 'spki', format: 'pem' })
    const signed = `${encode({ alg: 'HS256', kid: 'first', typ: 'JWT' })}.${encode(support())}`
    return `${signed}.${createHmac('sha256', pem).update(signed).digest('base64url')}`
  }
})

function encode(value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url')
}

describe('what a subject may do', () => {
  test('are the permissions of its roles, and none of what has no role here', async () => {
    const admin = await first.sign(claims(['queue-admins', 'others']))
    const all = await serve({ mapping: { tenantsClaim: undefined } })
    const may = async (token: string, path: string) => (await all.fetch(path, bearer(token))).status
    expect([await may(admin, '/keys'), await may(admin, '/jobs')]).toEqual([200, 200])
    const reader = await first.sign(claims('readers'))
    expect([await may(reader, '/keys'), await may(reader, '/jobs')]).toEqual([403, 200])
    for (const none of [['others'], [], ['Readers', 7, null], { readers: true }, undefined]) {
      const answer = await all.fetch('/jobs', bearer(await first.sign(claims(none))))
      expect(answer).toMatchObject({ status: 403, body: { error: 'forbidden', permission: 'jobs:read' } })
    }
    await all.close()
  })

  test('leaves entries in the audit log by its own name', async () => {
    const { id } = await insertJob(database)
    const token = await first.sign(support())
    expect((await api.fetch(`/jobs/${id}/cancel`, { method: 'POST', ...bearer(token) })).status).toBe(200)
    const { rows } = await database.pool.query(
      'SELECT actor_type, actor, actor_name, tenant_id FROM queue.audit_log WHERE $1 = ANY(job_ids)',
      [id],
    )
    expect(rows).toEqual([
      { actor_type: 'subject', actor: 'user-17', actor_name: 'someone@example.com', tenant_id: '' },
    ])
    expect(rolePermissions.operate).not.toContain('audit:read')
  })

  test('ends with a link that it makes, at the latest when its token ends', async () => {
    const { id } = await insertJob(database, { tenantId: 'acme' })
    const token = await first.sign(claims(['readers'], ['acme'], { exp: seconds() + 60 }))
    const made = await api.fetch(`/jobs/${id}/links`, { method: 'POST', ...bearer(token) })
    const { path } = JSON.parse(made.text)
    expect((await api.fetch(path)).status).toBe(200)
    const foreign = await insertJob(database, { tenantId: 'evil' })
    expect((await api.fetch(path.replace(id, foreign.id))).status).toBe(404)
    passedMs += 60_000
    expect((await api.fetch(path)).status).toBe(404)
  })
})

const skipped = skippedBehindPooler('a pooler connects with one role, which is no wall')

;(skipped ? describe.skip : describe)('the tenants of a subject', () => {
  const enqueue = (token: string, tenant?: string, body: object = email) => {
    const { headers } = bearer(token, tenant)
    return api.post('/jobs', body, headers)
  }

  test('one is where it is; of several each request names one; any other is a 403', async () => {
    const one = await first.sign(claims(['queue-admins'], ['acme']))
    const several = await first.sign(claims(['queue-admins'], ['acme', 'größe 1']))
    expect(await enqueue(one)).toMatchObject({ status: 201, body: { tenant_id: 'acme' } })
    expect(await enqueue(one, 'acme')).toMatchObject({ status: 201, body: { tenant_id: 'acme' } })
    const named = encodeURIComponent('größe 1')
    const enqueued = await enqueue(several, named)
    expect(enqueued).toMatchObject({ status: 201, body: { tenant_id: 'größe 1' } })
    expect(await statusOf(several, { path: `/jobs/${enqueued.body.id}`, tenant: 'acme' })).toBe(404)
    expect(await statusOf(several, { path: `/jobs/${enqueued.body.id}`, tenant: named })).toBe(200)
    const unnamed = await enqueue(several)
    expect(unnamed).toMatchObject({
      status: 403,
      body: { error: 'out_of_scope', tenants: ['acme', 'größe 1'] },
    })
    for (const [token, tenant] of [
      [one, 'evil'],
      [several, 'evil'],
    ] as const) {
      expect(await enqueue(token, tenant)).toMatchObject({ status: 403, body: { error: 'out_of_scope' } })
    }
    expect(await enqueue(one, undefined, { ...email, tenant_id: 'evil' })).toMatchObject({ status: 403 })
    for (const path of ['/workers', '/keys', '/audit']) expect(await statusOf(one, { path })).toBe(403)
  })

  test('none in the token is a 403, whatever stands there instead of tenants', async () => {
    for (const none of [undefined, [], '', [''], [7], { acme: true }, null, ['a\u0000']]) {
      const token = await first.sign(claims(['queue-admins'], none))
      expect(await enqueue(token)).toMatchObject({ status: 403, body: { error: 'out_of_scope' } })
      expect(await enqueue(token, 'acme')).toMatchObject({ status: 403, body: { error: 'out_of_scope' } })
    }
  })

  test('are all, for a role that says so, which brings what others may do into no other tenant', async () => {
    const { id } = await insertJob(database, { tenantId: 'evil' })
    const path = `/jobs/${id}`
    const both = await first.sign(claims(['support', 'queue-admins'], ['acme']))
    expect(await statusOf(both, { path })).toBe(200)
    expect(await statusOf(both, { path, tenant: 'evil' })).toBe(200)
    expect(await statusOf(both, { path, tenant: 'acme' })).toBe(404)
    // To enqueue is for administrators, and this one is such in its own tenant.
    expect(await enqueue(both)).toMatchObject({ status: 403, body: { permission: 'jobs:enqueue' } })
    expect(await enqueue(both, 'evil')).toMatchObject({ status: 403, body: { permission: 'jobs:enqueue' } })
    expect(await enqueue(both, 'acme')).toMatchObject({ status: 201, body: { tenant_id: 'acme' } })
  })

  test('a header that names none is a 400', async () => {
    const token = await first.sign(support())
    for (const tenant of ['%', '%00', 'a'.repeat(256), '']) {
      expect(await api.fetch('/jobs', bearer(token, tenant))).toMatchObject({
        status: 400,
        body: { error: 'invalid_header' },
      })
    }
  })
})

describe('the keys of the issuer', () => {
  test('are read once for many tokens, and again when a token names another one', async () => {
    for (let sub = 0; sub < 5; sub += 1) await statusOf(await first.sign(support({ sub: `user-${sub}` })))
    expect(issuer.reads()).toBe(1)
    const second = await issuerKey('second')
    issuer.keys.splice(0, 1, second)
    passedMs += issuerKeysReadMsMin
    expect(await statusOf(await second.sign(support()))).toBe(200)
    // The first is no key of the issuer any more, and neither is what was known by it.
    expect(await statusOf(await first.sign(support({ sub: 'user-0' })))).toBe(401)
    expect(issuer.reads()).toBe(2)
  })

  test('are not read for each token that names one that nobody has', async () => {
    expect(await statusOf(await first.sign(support()))).toBe(200)
    const stranger = await issuerKey('stranger')
    for (let sub = 0; sub < 5; sub += 1) {
      expect(await statusOf(await stranger.sign(support({ sub: `user-${sub}` })))).toBe(401)
    }
    expect(issuer.reads()).toBe(1)
  })

  test('that it has taken back open nothing once they are read again, what was verified before included', async () => {
    const token = await first.sign(support({ exp: seconds() + 86_400 }))
    expect(await statusOf(token)).toBe(200)
    issuer.keys.splice(0, 1, await issuerKey('second'))
    passedMs += Math.max(issuerKeysCheckMs, tokenCacheMs)
    await eventually(async () => (await statusOf(token)) === 401)
  })

  test('go on to count while it is away, and after an hour nobody is let in: 503, and no open door', async () => {
    const token = await first.sign(support({ exp: seconds() + 86_400 }))
    expect(await statusOf(token)).toBe(200)
    issuer.answer = (_req, res) => res.socket?.destroy()
    passedMs += issuerKeysStaleMs - 1
    expect(await statusOf(token)).toBe(200)
    passedMs += issuerKeysReadMsMin
    const refused = await api.fetch('/jobs', bearer(token))
    expect(refused).toMatchObject({ status: 503, body: { error: 'issuer_unavailable' } })
    expect(refused.headers.get('retry-after')).toBe('1')
    // What is no token of any issuer needs none to be refused.
    expect(await statusOf('not-a-token')).toBe(401)
    issuer.answer = undefined
    passedMs += issuerKeysReadMsMin
    expect(await statusOf(token)).toBe(200)
  })

  test.each<readonly [string, NonNullable<TestIssuer['answer']>]>([
    ['is down', (_req, res) => res.socket?.destroy()],
    ['answers with an error', (_req, res) => res.writeHead(500).end('{}')],
    [
      'answers with a redirect',
      (req, res) => showing(req, res, () => res.writeHead(302, { location: '/elsewhere' }).end()),
    ],
    ['answers with something else', (_req, res) => res.end('<html>')],
    [
      'answers without end',
      (req, res) =>
        showing(req, res, (keys) =>
          res.end(JSON.stringify({ keys, filling: 'x'.repeat(issuerAnswerBytesMax) })),
        ),
    ],
    [
      'is another',
      (_req, res) =>
        res.end(JSON.stringify({ issuer: 'https://evil.example', jwks_uri: `${issuer.url}/jwks` })),
    ],
    [
      'has its keys where others could change them',
      (_req, res) => res.end(JSON.stringify({ issuer: issuer.url, jwks_uri: 'http://192.0.2.1/jwks' })),
    ],
    ['has no keys', (req, res) => showing(req, res, () => res.end('{"keys":[]}'))],
  ])('of one that %s are none: 503', async (_name, answer) => {
    issuer.answer = answer
    expect(await api.fetch('/jobs', bearer(await first.sign(support())))).toMatchObject({
      status: 503,
      body: { error: 'issuer_unavailable' },
    })
  })

  /** The discovery document as it should be, and something else in the place of the keys. */
  function showing(req: IncomingMessage, res: ServerResponse, answer: (keys: readonly JWK[]) => void): void {
    if (req.url?.startsWith('/jwks') === true) answer(issuer.keys.map(({ publicJwk }) => publicJwk))
    else res.end(JSON.stringify({ issuer: issuer.url, jwks_uri: `${issuer.url}/jwks` }))
  }
})

describe('a process of the API', () => {
  const processes: ApiProcess[] = []
  afterEach(async () => {
    for (const process of processes.splice(0)) {
      process.signal('SIGKILL')
      await process.ended()
    }
  })

  test('takes all of it from its variables, names the issuer in its document, and cuts a stream with its token', async () => {
    const process = startApiProcess({
      DATABASE_URL: database.urlAs('api'),
      API_OIDC_ISSUER: issuer.url,
      API_OIDC_AUDIENCE: `${audience}, another`,
      API_OIDC_ROLES_CLAIM: '/realm_access/roles',
      API_OIDC_ROLES: 'readers=read',
    })
    processes.push(process)
    const url = await process.url()
    const long = await first.sign(
      claims(['readers'], undefined, { exp: Math.ceil(Date.now() / 1_000) + 600 }),
    )
    await eventually(async () => (await checkedFetch(url, '/jobs', bearer(long))).status === 200)
    expect((await checkedFetch(url, '/jobs')).status).toBe(401)
    const { id } = await insertJob(database)
    const short = await first.sign(
      claims(['readers'], undefined, { exp: Math.ceil(Date.now() / 1_000) - tokenClockToleranceSeconds + 4 }),
    )
    const stream = await fetch(`${url}/jobs/${id}/events`, bearer(short))
    expect(stream.status).toBe(200)
    await expect(stream.text()).rejects.toThrow()
    const served = await (await fetch(`${url}/api-docs/openapi.json`)).json()
    expect(served).toMatchObject({
      components: { securitySchemes: { oidc: { type: 'openIdConnect' } } },
      paths: { '/jobs': { get: { security: [{ bearer: ['jobs:read'] }, { oidc: ['jobs:read'] }, {}] } } },
    })
    expect(JSON.stringify(buildDocument([]))).not.toContain('openIdConnect')
  })
})
