import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals'
import type { TestDatabase } from '@queue/testing'
import {
  axeFindings,
  browseDashboard,
  type BrowsedDashboard,
  holds,
  open,
  signIn,
  signInByForm,
  turnTo,
  type Visit,
} from '../support/dashboard-browser.ts'
import { pagesOf } from '../support/dashboard-pages.ts'
import { bearer, mail, token } from '../support/dashboard-server.ts'
import { type DashboardWorld, makeKey } from '../support/dashboard-world.ts'
import { hostileTexts, insertHostile } from '../support/hostile-world.ts'
import type { TestApi } from '../support/start-api.ts'
import { issuerClient, type TestIssuer } from '../support/test-issuer.ts'

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
  test('with the role read gets no button that the API would refuse, and no payload', async () => {
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
    expect(await page.getByRole('link', { name: 'Audit log' }).count()).toBe(0)
    await open(visitor, '/audit', '')
    await page.getByText('audit:read').waitFor()
    expect(visitor.faults).toEqual([])
  })

  test('of a tenant sees only its own jobs, and no server pages', async () => {
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
    expect(await page.getByRole('link', { name: /^(Workers|System|API keys|Schedules)$/ }).count()).toBe(0)
    await page.getByRole('link', { name: 'send_email' }).click()
    await page.getByText((body as { id: string }).id).waitFor()
    await page.goto(`${visitor.home}/jobs/${world.retryingId}`)
    await page.getByText('Job not found').waitFor()
    expect(visitor.faults.filter((fault) => !fault.includes('404'))).toEqual([])
  })

  test('signs out when it is revoked, and on request', async () => {
    const { id, text } = await makeKey(database, { id: 'leavings', role: 'operate' })
    const visitor = await dashboard.visit()
    const { page } = visitor
    await page.goto(`${visitor.home}/queues`)
    await page.getByLabel('API key').fill('queue_nonsense')
    await page.getByRole('button', { name: 'Sign in', exact: true }).click()
    await page.getByText('This key is not valid').waitFor()
    await signInByForm(visitor, text, '/queues')
    // The requested page opens.
    await page.getByRole('heading', { level: 1, name: 'Queues' }).waitFor()
    await api.fetch(`/keys/${id}`, { method: 'DELETE', headers: bearer })
    await page.getByRole('heading', { name: 'Sign in to Queue' }).waitFor()
    await signInByForm(visitor, token)
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.getByRole('heading', { name: 'Sign in to Queue' }).waitFor()
    expect(await visitor.context.cookies()).toEqual([])
  })
})

describe('a user of the issuer', () => {
  const grace = { sub: 'u-1', email: 'grace@example.com' }
  /** The faults except the redirect to the issuer and the refusal of a request without a tenant. */
  const unexpected = ({ faults }: Visit): string[] =>
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
    expect(unexpected(visitor)).toEqual([])
  })

  test('with several tenants selects one and sees only its jobs', async () => {
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
    await page.getByRole('button', { name: 'Switch tenant' }).click()
    await page.getByRole('button', { name: 'acme' }).click()
    await page.getByRole('row').filter({ hasText: 'of-acme' }).waitFor()
    expect(await page.getByText('of-umbrella').count()).toBe(0)
    expect(unexpected(visitor)).toEqual([])
  })

  test.each([
    ['is refused by the issuer', undefined, 'The identity provider refused the sign-in.'],
    ['has no role here', { ...grace, roles: ['staff'] }, 'Your account has no role in this queue.'],
    [
      'has a role, and no tenant',
      { ...grace, roles: ['support'] },
      'Your account has no role in this queue.',
    ],
  ])('gets a message if it %s', async (_what, subject, words) => {
    issuer.subject = subject
    const visitor = await dashboard.visit()
    await signInThere(visitor, '/')
    await visitor.page.getByText(words).waitFor()
    expect(await visitor.context.cookies()).toEqual([])
  })

  /** Starts a sign-in at the issuer as a browser does, and stops before the redirect back. */
  async function startSignIn(next = '/'): Promise<{ readonly back: URL; readonly cookie: string }> {
    const headers = { 'content-type': 'application/json', origin: api.base }
    const body = JSON.stringify({ next })
    const started = await fetch(`${api.base}/dashboard/session/issuer`, { method: 'POST', headers, body })
    const { url } = (await started.json()) as { readonly url: string }
    const [cookie = ''] = (started.headers.get('set-cookie') ?? '').split(';')
    const led = await fetch(url, { redirect: 'manual' })
    return { back: new URL(led.headers.get('location') ?? ''), cookie }
  }

  const returnFromIssuer = (back: URL, cookie: string) =>
    fetch(back, { redirect: 'manual', headers: { cookie } })

  test('gets a session by a code once, in the browser in which it has begun, and stays on this site', async () => {
    issuer.subject = { ...grace, roles: ['queue-admins'] }
    const { back, cookie } = await startSignIn('//example.com/x?y=1')
    const refused = await returnFromIssuer(back, (await startSignIn()).cookie)
    expect([refused.status, refused.headers.get('location')]).toEqual([303, '/dashboard/?sign_in=expired'])
    expect((await returnFromIssuer(back, '')).headers.get('location')).toBe('/dashboard/?sign_in=expired')
    const answer = await returnFromIssuer(back, cookie)
    expect([answer.status, answer.headers.get('location')]).toEqual([303, '/dashboard/x?y=1'])
    expect(answer.headers.getSetCookie().join('\n')).toMatch(
      /queue_session=[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict/,
    )
    const again = await returnFromIssuer(back, cookie)
    expect(again.headers.get('location')).toBe('/dashboard/?sign_in=unavailable')
    expect(again.headers.getSetCookie().join('\n')).not.toContain('queue_session=')
  })

  test.each([
    ['with the nonce of another sign-in', { nonce: 'another' }],
    ['for another client', { aud: 'another' }],
    [
      'for several clients, requested by another',
      { aud: [issuerClient.clientId, 'another'], azp: 'another' },
    ],
    ['of another issuer', { iss: 'https://login.example.com' }],
    ['that has expired', { exp: 1 }],
  ])('is not signed in by a token %s', async (_what, claims) => {
    issuer.subject = { ...grace, roles: ['queue-admins'], ...claims }
    const { back, cookie } = await startSignIn()
    expect((await returnFromIssuer(back, cookie)).headers.get('location')).toBe('/dashboard/?sign_in=refused')
  })

  test('can start a sign-in only from a page of this API', async () => {
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

describe('what a job carries', () => {
  const wasExecuted = `document.title.includes('taken') || document.querySelector('img, main script, a[href^="javascript:"]') !== null`

  /** Elements beyond the right edge of the page, unless they are in a scrollable container. */
  const beyondEdge = `(() => {
    const scrolls = (one) => one !== null && (/auto|scroll|hidden|clip/.test(getComputedStyle(one).overflowX) || scrolls(one.parentElement))
    return [...document.querySelectorAll('main *, dialog[open] *')]
      .filter((one) => one.checkVisibility() && one.getBoundingClientRect().width > 1 && !scrolls(one.parentElement))
      .filter((one) => one.getBoundingClientRect().right > document.documentElement.clientWidth + 1)
      .map((one) => 'beyond the edge: ' + one.outerHTML.slice(0, 120))
      .slice(0, 3)
  })()`

  test.each(['wide', 'narrow'] as const)('is shown as text and stays within the page, %s', async (size) => {
    const hostile = await insertHostile(database)
    const visitor = await dashboard.visit({ size })
    const { page } = visitor
    await signIn(visitor, token)
    const within = `queue=${hostile.queue}`
    const cols = ['tenant', 'key', 'metadata.first', 'metadata.long', 'metadata.turned'].join(',')
    const { markup, long } = hostileTexts
    const addresses = [
      `/jobs?${within}`,
      `/jobs?${within}&cols=${cols}`,
      `/jobs?${within}&peek=${hostile.failedId}`,
      `/jobs?${new URLSearchParams({ tenant: `${markup}${long}`, 'metadata.x': long, schedule: markup }).toString()}`,
      `/jobs/${hostile.failedId}?attempt=2&compare=1-2`,
      `/jobs/${hostile.waitingId}`,
      `/dead-letters?${within}`,
      `/queues/${hostile.queue}?tab=keys`,
      `/queues/${hostile.queue}`,
      '/operations',
      '/audit',
      '/',
    ]
    const findings: string[] = []
    for (const at of addresses) {
      await open(visitor, at, '')
      const found = [
        ...(await page.evaluate<string[]>(beyondEdge)),
        ...((await page.evaluate(wasExecuted)) === true ? ['a text was executed'] : []),
        ...(at.includes('attempt=') ? await axeFindings(visitor) : []),
      ]
      findings.push(...found.map((one) => `${at.slice(0, 60)}: ${one}`))
    }
    await open(visitor, `/jobs?${within}`, 'Jobs')
    await page.keyboard.press('/')
    await page.keyboard.type('<img')
    await page.getByRole('option').first().waitFor()
    findings.push(...((await page.evaluate(wasExecuted)) === true ? ['the search: a text was executed'] : []))
    findings.push(...(await page.evaluate<string[]>(beyondEdge)))
    await page.keyboard.press('Escape')
    await page.keyboard.press('Escape')
    await page.keyboard.press('a')
    await page
      .getByRole('dialog')
      .getByRole('button', { name: /^Cancel \d+ jobs$/ })
      .waitFor()
    expect(await page.evaluate(wasExecuted)).toBe(false)
    expect(findings).toEqual([])
    // The API refuses the tenant name, and the browser logs the response.
    expect(visitor.faults.filter((fault) => !fault.includes('400'))).toEqual([])
  })

  test('an invalid address shows a message', async () => {
    const visitor = await dashboard.visit()
    const { page, faults } = visitor
    await signIn(visitor, token)
    for (const at of [
      '/jobs?status=nothing&peek=javascript:alert(1)&cols=payload.__proto__,constructor,,metadata.',
      '/jobs?created_after=yesterday',
      '/jobs?metadata.=x&metadata.%3Cimg%3E=x',
      '/jobs?tenant=%00&kind[]=a&kind[]=b',
      '/jobs/javascript:alert(1)',
      '/jobs/..%2F..%2Fme',
      '/queues/%3Cimg%20src=x%3E',
      '/errors/%3Cscript%3E',
      '/go/%3Cscript%3E?queue=%3Cimg%3E',
      '/operations/..%2Fkeys',
      '/overview?range=<img>&from=a&to=b',
    ]) {
      await page.goto(`${visitor.home}${at}`)
      await page.getByRole('heading', { level: 1 }).or(page.getByRole('alert')).first().waitFor()
      await page.locator('[role="status"]:has-text("Loading")').first().waitFor({ state: 'detached' })
      expect([at, await page.evaluate(wasExecuted)]).toEqual([at, false])
    }
    // The browser logs each refusal.
    expect(faults.filter((fault) => !/status of 4\d\d/.test(fault))).toEqual([])
  })
})

describe('during an action', () => {
  test('a user whose session has ended signs in again, and learns that nothing was done', async () => {
    const { id, text } = await makeKey(database, { id: 'midact01', role: 'operate' })
    const visitor = await dashboard.visit()
    const { page, faults } = visitor
    await signIn(visitor, text)
    await open(visitor, '/jobs?queue=mail&status=queued&metadata.customer=c-5', 'Jobs')
    await page.keyboard.press('p')
    await page.keyboard.press('a')
    const confirm = page.getByRole('dialog').getByRole('button', { name: /^Cancel \d+ jobs$/ })
    await confirm.waitFor()
    await api.fetch(`/keys/${id}`, { method: 'DELETE', headers: bearer })
    const headers = { authorization: `Bearer ${text}` }
    await holds(async () => expect((await api.fetch('/me', { headers })).status).toBe(401))
    await confirm.click()
    await page.getByRole('heading', { name: 'Sign in to Queue' }).waitFor()
    expect(await dashboard.queue.list({ status: 'cancelled', metadata: { customer: 'c-5' } })).toMatchObject({
      jobs: [],
    })
    await page.getByLabel('API key').fill(token)
    await page.getByRole('button', { name: 'Sign in', exact: true }).click()
    await page.getByRole('button', { name: /^queue: mail/ }).waitFor()
    expect(faults.filter((fault) => !fault.includes('401'))).toEqual([])
  })

  test('back and forward move by one search or action each', async () => {
    const visitor = await dashboard.visit()
    const { page } = visitor
    await signIn(visitor, token)
    await open(visitor, '/jobs', 'Jobs')
    const chips = () => page.getByRole('button', { name: /, remove$/ }).allInnerTexts()
    await page.keyboard.press('/')
    await page.keyboard.type('queue:reports status:queued')
    await page.keyboard.press('Enter')
    await holds(async () => expect(await chips()).toHaveLength(2))
    await page.getByRole('button', { name: 'Clear filters' }).click()
    await holds(async () => expect(await chips()).toHaveLength(0))
    await page.goBack()
    await holds(async () => expect(await chips()).toHaveLength(2))
    await page.keyboard.press('a')
    await page.getByRole('dialog').getByRole('button', { name: 'Reschedule', exact: true }).click()
    await page.getByRole('dialog').getByLabel('Earliest start').fill('2031-01-15T09:30')
    await page
      .getByRole('dialog')
      .getByRole('button', { name: /^Reschedule \d+ jobs$/ })
      .click()
    await page.getByText(/^Rescheduled \d+ jobs/).waitFor()
    await page.keyboard.press('z')
    await page.getByText(/^Start time of \d+ jobs restored/).waitFor()
    await page.goBack()
    await holds(async () => expect(await chips()).toHaveLength(0))
    await page.goForward()
    await holds(async () => expect(await chips()).toHaveLength(2))
    expect(visitor.faults).toEqual([])
  })

  test.each([
    ['ahead', 86_400_000, 'c-1'],
    ['behind', -86_400_000, 'c-2'],
  ])(
    'with a browser clock a day %s, a bulk action changes exactly the counted jobs',
    async (_name, aheadMs, customer) => {
      const { queue } = dashboard
      const metadata = { customer }
      const filter = { queue: 'images', status: 'queued', metadata } as const
      const before = (await queue.list(filter)).jobs.length
      const visitor = await dashboard.visit()
      const { page } = visitor
      await page.clock.setSystemTime(Date.now() + aheadMs)
      await signIn(visitor, token)
      await open(visitor, `/jobs?queue=images&status=queued&metadata.customer=${customer}`, 'Jobs')
      await page
        .getByText(/^\d+ min ago$/)
        .first()
        .waitFor()
      await page.keyboard.press('a')
      const confirm = page.getByRole('dialog').getByRole('button', { name: `Cancel ${before} jobs` })
      await confirm.waitFor()
      await api.post('/jobs', { kind: 'send_email', payload: mail, queue: 'images', metadata }, bearer)
      await confirm.click()
      await page.getByText(`Cancelled ${before} jobs.`).waitFor()
      expect((await queue.list(filter)).jobs).toHaveLength(1)
      expect(visitor.faults).toEqual([])
    },
  )

  test('two tabs show the changes of each other, and sign out together', async () => {
    const visitor = await dashboard.visit()
    const { page, context } = visitor
    await signIn(visitor, token)
    await open(visitor, '/queues', 'Queues')
    const other = await context.newPage()
    await other.goto(`${visitor.home}/queues`)
    await other.getByRole('button', { name: 'Pause images' }).click()
    await page.getByRole('button', { name: 'Resume images' }).click()
    await other.getByRole('button', { name: 'Pause images' }).waitFor()
    await other.getByRole('button', { name: 'Sign out' }).click()
    await page.getByRole('heading', { name: 'Sign in to Queue' }).waitFor()
    expect(visitor.faults.filter((fault) => !fault.includes('401'))).toEqual([])
  })

  test('while the API is unavailable, loaded data stays with its time, and updates resume later', async () => {
    const visitor = await dashboard.visit()
    const { page, context } = visitor
    await signIn(visitor, token)
    await open(visitor, '/jobs?queue=reports', 'Jobs')
    const rows = page.locator('tbody tr')
    const count = await rows.count()
    await context.route('**/*', (route) => route.abort('connectionrefused'))
    const bar = page.getByText(/^As of .* The API cannot be reached/)
    await bar.waitFor()
    expect(await rows.count()).toBe(count)
    await page.keyboard.press('j')
    await page.keyboard.press('x')
    await page.keyboard.press('c')
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel 1 job' }).click()
    await page.getByText(/^Cancelling 1 job failed. The API cannot be reached/).waitFor()
    await context.unroute('**/*')
    await bar.waitFor({ state: 'detached' })
    expect(await rows.count()).toBe(count)
    expect(visitor.faults.filter((fault) => !fault.includes('ERR_CONNECTION_REFUSED'))).toEqual([])
  })
})
