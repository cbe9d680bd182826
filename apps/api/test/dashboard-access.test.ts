import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals'
import type { TestDatabase } from '@queue/testing'
import {
  browseDashboard,
  type BrowsedDashboard,
  open,
  signIn,
  turnTo,
  type Visit,
} from './support/dashboard-browser.ts'
import { pagesOf } from './support/dashboard-pages.ts'
import { bearer, mail, token } from './support/dashboard-server.ts'
import { type DashboardWorld, makeKey } from './support/dashboard-world.ts'
import type { TestApi } from './support/start-api.ts'
import { issuerClient, type TestIssuer } from './support/test-issuer.ts'

let dashboard: BrowsedDashboard
let api: TestApi
let database: TestDatabase
let world: DashboardWorld
let issuer: TestIssuer

beforeAll(async () => {
  dashboard = await browseDashboard()
  ;({ api, database, world, issuer } = dashboard)
})

afterEach(() => dashboard.closeVisits())

afterAll(() => dashboard.close())

describe('a key', () => {
  test('with the role read sees no button that would be refused, and no payload', async () => {
    const { text } = await makeKey(database, { id: 'readonly', role: 'read' })
    const visitor = await dashboard.visit()
    const { page } = visitor
    await signIn(visitor, text)
    for (const [name, at, heading, press] of pagesOf(world)) {
      if (name === 'audit' || name === 'keys' || press !== undefined) continue
      await turnTo(visitor, at, heading)
      const acts = page.getByRole('main').getByRole('button', {
        name: /pause|resume|requeue|cancel|delete|run now|enqueue|revoke|act on|purge|edit|duplicate|set a limit|allow/i,
      })
      expect([name, await acts.count()]).toEqual([name, 0])
    }
    await open(visitor, `/jobs/${world.retryingId}`, 'send_email')
    expect(await page.getByRole('main').innerText()).not.toContain('Invoice 4711')
    expect(await page.getByRole('link', { name: 'Audit' }).count()).toBe(0)
    await open(visitor, '/audit', '')
    await page.getByText('audit:read').waitFor()
    expect(visitor.faults).toEqual([])
  })

  test('of a tenant sees its own jobs, and neither those of others nor the pages of the server', async () => {
    const { body } = await api.post(
      '/jobs',
      { kind: 'send_email', payload: mail, queue: 'acme', tenant_id: 'acme' },
      bearer,
    )
    const bounds = { tenantId: 'acme', queues: null, kinds: null }
    const { text } = await makeKey(database, { id: 'tenantac', role: 'operate', bounds })
    const visitor = await dashboard.visit()
    const { page } = visitor
    await signIn(visitor, text, '/jobs')
    await page.getByRole('row').filter({ hasText: 'acme' }).waitFor()
    expect(await page.locator('tbody tr').count()).toBe(1)
    await page.getByRole('navigation', { name: 'Pages', exact: true }).getByText('tenant acme').waitFor()
    expect(await page.getByRole('link', { name: /^(Workers|System|Keys|Schedules)$/ }).count()).toBe(0)
    await page.getByRole('link', { name: 'send_email' }).click()
    await page.getByText((body as { id: string }).id).waitFor()
    await page.goto(`${visitor.home}/jobs/${world.retryingId}`)
    await page.getByText('There is no such job here').waitFor()
    expect(visitor.faults.filter((fault) => !fault.includes('404'))).toEqual([])
  })

  test('that is revoked signs its session out, as does whoever signs out', async () => {
    const { id, text } = await makeKey(database, { id: 'leavings', role: 'operate' })
    const visitor = await dashboard.visit()
    const { page } = visitor
    await page.goto(`${visitor.home}/queues`)
    await page.getByLabel('API key').fill('queue_nonsense')
    await page.getByRole('button', { name: 'Sign in', exact: true }).click()
    await page.getByText('This key opens nothing').waitFor()
    await signIn(visitor, text, '/queues')
    // The page that was asked for, and not another.
    await page.getByRole('heading', { level: 1, name: 'Queues' }).waitFor()
    await api.fetch(`/keys/${id}`, { method: 'DELETE', headers: bearer })
    await page.getByRole('heading', { name: 'Sign in to Queue' }).waitFor()
    await signIn(visitor, token)
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.getByRole('heading', { name: 'Sign in to Queue' }).waitFor()
    expect(await visitor.context.cookies()).toEqual([])
  })
})

describe('somebody of the issuer', () => {
  const grace = { sub: 'u-1', email: 'grace@example.com' }
  /** That the browser goes to the issuer is meant, and that a request without a tenant is refused. */
  const unmeant = ({ faults }: Visit): string[] =>
    faults.filter(
      (fault) => !fault.startsWith(`request to ${issuer.url}/authorize`) && !fault.includes('403'),
    )

  async function signInThere({ page, home }: Visit, at: string): Promise<void> {
    await page.goto(`${home}${at}`)
    await page.getByRole('button', { name: 'Sign in with login.example.com' }).click()
  }

  test('signs in there, comes back to the page that was asked for, and signs out', async () => {
    issuer.subject = { ...grace, roles: ['queue-admins'] }
    const visitor = await dashboard.visit()
    const { page, context } = visitor
    await signInThere(visitor, '/queues?x=1')
    await page.getByRole('heading', { level: 1, name: 'Queues' }).waitFor()
    expect(page.url()).toBe(`${visitor.home}/queues?x=1`)
    await page.getByText('grace@example.com').first().waitFor()
    const [cookie, ...others] = await context.cookies()
    expect(cookie).toMatchObject({ name: 'queue_session', httpOnly: true, sameSite: 'Strict' })
    expect(others).toEqual([])
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.getByRole('heading', { name: 'Sign in to Queue' }).waitFor()
    expect(unmeant(visitor)).toEqual([])
  })

  test('with several tenants chooses one, and sees what is its own', async () => {
    for (const tenant of ['acme', 'umbrella']) {
      await api.post(
        '/jobs',
        { kind: 'send_email', payload: mail, queue: `of-${tenant}`, tenant_id: tenant },
        bearer,
      )
    }
    issuer.subject = { ...grace, roles: ['support'], tenants: ['acme', 'umbrella'] }
    const visitor = await dashboard.visit()
    const { page } = visitor
    await signInThere(visitor, '/jobs')
    await page.getByRole('button', { name: 'umbrella' }).click()
    await page.getByRole('row').filter({ hasText: 'of-umbrella' }).waitFor()
    expect(await page.locator('tbody tr').count()).toBe(1)
    await page.getByRole('button', { name: 'Another tenant' }).click()
    await page.getByRole('button', { name: 'acme' }).click()
    await page.getByRole('row').filter({ hasText: 'of-acme' }).waitFor()
    expect(await page.getByText('of-umbrella').count()).toBe(0)
    expect(unmeant(visitor)).toEqual([])
  })

  test.each([
    ['is not let in there', undefined, 'The issuer has not let you sign in.'],
    ['has no role here', { ...grace, roles: ['staff'] }, 'You are known, but have no role here.'],
    ['has a role, and no tenant', { ...grace, roles: ['support'] }, 'You are known, but have no role here.'],
  ])('is told that it %s', async (_what, subject, words) => {
    issuer.subject = subject
    const visitor = await dashboard.visit()
    await signInThere(visitor, '/')
    await visitor.page.getByText(words).waitFor()
    expect(await visitor.context.cookies()).toEqual([])
  })

  /** Goes to the issuer as a browser does, and stops before coming back. */
  async function begun(next = '/'): Promise<{ readonly back: URL; readonly cookie: string }> {
    const headers = { 'content-type': 'application/json', origin: api.base }
    const body = JSON.stringify({ next })
    const started = await fetch(`${api.base}/dashboard/session/issuer`, { method: 'POST', headers, body })
    const { url } = (await started.json()) as { readonly url: string }
    const [cookie = ''] = (started.headers.get('set-cookie') ?? '').split(';')
    const led = await fetch(url, { redirect: 'manual' })
    return { back: new URL(led.headers.get('location') ?? ''), cookie }
  }

  const comeBack = (back: URL, cookie: string) => fetch(back, { redirect: 'manual', headers: { cookie } })

  test('gets a session by a code once, in the browser in which it has begun, and stays on this site', async () => {
    issuer.subject = { ...grace, roles: ['queue-admins'] }
    const { back, cookie } = await begun('//example.com/x?y=1')
    const refused = await comeBack(back, (await begun()).cookie)
    expect([refused.status, refused.headers.get('location')]).toEqual([303, '/dashboard/?sign_in=expired'])
    expect((await comeBack(back, '')).headers.get('location')).toBe('/dashboard/?sign_in=expired')
    const answer = await comeBack(back, cookie)
    expect([answer.status, answer.headers.get('location')]).toEqual([303, '/dashboard/x?y=1'])
    expect(answer.headers.getSetCookie().join('\n')).toMatch(
      /queue_session=[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict/,
    )
    const again = await comeBack(back, cookie)
    expect(again.headers.get('location')).toBe('/dashboard/?sign_in=unavailable')
    expect(again.headers.getSetCookie().join('\n')).not.toContain('queue_session=')
  })

  test.each([
    ['of another sign-in', { nonce: 'another' }],
    ['for another client', { aud: 'another' }],
    ['for several, that another has asked for', { aud: [issuerClient.clientId, 'another'], azp: 'another' }],
    ['of another issuer', { iss: 'https://login.example.com' }],
    ['that has expired', { exp: 1 }],
  ])('is not signed in by a token %s', async (_what, claims) => {
    issuer.subject = { ...grace, roles: ['queue-admins'], ...claims }
    const { back, cookie } = await begun()
    expect((await comeBack(back, cookie)).headers.get('location')).toBe('/dashboard/?sign_in=refused')
  })

  test('begins on a page of ours alone', async () => {
    const start = (headers: Record<string, string>) =>
      fetch(`${api.base}/dashboard/session/issuer`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: '{"next":"/"}',
      })
    expect((await start({ origin: 'https://example.com' })).status).toBe(403)
    expect((await start({})).status).toBe(400)
  })
})
