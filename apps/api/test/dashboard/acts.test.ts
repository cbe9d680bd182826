import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import type { Queue } from '@queue/core'
import { insertJob, type TestDatabase } from '@queue/testing'
import type { Page, Request } from 'playwright-core'
import {
  axeFindings,
  browseDashboard,
  type BrowsedDashboard,
  holds,
  open,
  signIn,
  type Visit,
} from '../support/dashboard-browser.ts'
import { bearer, mail, token } from '../support/dashboard-server.ts'
import { type DashboardWorld, makeKey } from '../support/dashboard-world.ts'
import type { TestApi } from '../support/start-api.ts'

let dashboard: BrowsedDashboard
let api: TestApi
let database: TestDatabase
let queue: Queue
let world: DashboardWorld
let visitor: Visit
let page: Page

beforeAll(async () => {
  dashboard = await browseDashboard()
  ;({ api, database, queue, world } = dashboard)
  visitor = await dashboard.visit()
  page = visitor.page
  await signIn(visitor, token)
})

afterAll(async () => {
  const { faults } = visitor
  await dashboard.close()
  expect(faults).toEqual([])
})

/** Submits the form of the page, or of its dialog, several times in one task. */
async function submitTimes(times: number): Promise<void> {
  await page
    .locator('form')
    .last()
    .evaluate((form: { readonly requestSubmit: () => void }, count: number) => {
      for (let time = 0; time < count; time += 1) form.requestSubmit()
    }, times)
}

async function startsOf(name: string): Promise<readonly (readonly [string, Date])[]> {
  const { jobs } = await queue.list({ queue: name, status: 'queued', limit: 200 })
  return jobs.map(({ id, runAt }) => [id, runAt])
}

async function pausedAt(name: string): Promise<Date | null | undefined> {
  const { queues } = await queue.listQueues({ limit: 200 })
  return queues.find((one) => one.name === name)?.pausedAt
}

/** Records each new label of the button in the row of the queue `images`. */
const watchButton = `{
  const row = document.querySelector('td a[href$="/queues/images"]').closest('tr')
  const textOf = () => row.querySelector('td:last-child button').textContent
  let last = textOf()
  globalThis.buttonsSeen = []
  const look = () => textOf() !== last && buttonsSeen.push((last = textOf()))
  new MutationObserver(look).observe(row, { subtree: true, childList: true, characterData: true })
}`

/** Records whether the page marks anything as not confirmed. */
const watchMarks = `{
  globalThis.isMarked = false
  const look = () => { isMarked ||= document.body.textContent.includes('not confirmed') }
  new MutationObserver(look).observe(document.body, { subtree: true, childList: true })
}`

/** Confirms a pause of the queue `images` within the page: a response from outside can take long on a busy machine. */
const answerPause = `{
  const { fetch: send } = globalThis
  const body = { name: 'images', paused_at: new Date().toISOString() }
  const answer = async (request) =>
    request.url.endsWith('/queues/images/pause') ? Response.json(body) : send(request)
  Reflect.set(globalThis, 'fetch', answer)
}`

interface Held {
  readonly url: string
  readonly method: string
  /** The response instead of the API's; absent: the request continues to the API. */
  readonly answer?: ReturnType<typeof problem>
}

/** Holds a request until the returned function is called. */
async function hold({ url, method, answer }: Held): Promise<() => Promise<void>> {
  const { promise: released, resolve: release } = Promise.withResolvers<void>()
  const { promise: answered, resolve: end } = Promise.withResolvers<void>()
  await page.route(url, async (route) => {
    if (route.request().method() !== method) return route.fallback()
    await released
    await (answer === undefined ? route.continue() : route.fulfill(answer))
    end()
  })
  return async () => {
    release()
    await answered
    await page.unroute(url)
  }
}

function problem(status: number, detail: string) {
  const json = { type: 'about:blank', title: '', status, detail, error: 'internal', message: detail }
  return { status, headers: { 'x-request-id': 'r-1' }, contentType: 'application/problem+json', json }
}

/** Checks that the only faults are the refusals that the browser logs, and clears them. */
function expectRefusals(): void {
  expect(visitor.faults.splice(0).filter((fault) => !fault.includes('Failed to load resource'))).toEqual([])
}

describe('an action', () => {
  test('pauses a queue, and its undo resumes it', async () => {
    await open(visitor, '/queues', 'Queues')
    await page.getByRole('button', { name: 'Pause mail' }).click()
    await holds(async () => expect(await pausedAt('mail')).not.toBeNull())
    await page.getByRole('button', { name: 'Undo' }).click()
    await holds(async () => expect(await pausedAt('mail')).toBeNull())
  })

  test('shows at once what it asks for, whatever is read meanwhile, and says where that is not confirmed yet', async () => {
    await open(visitor, '/queues', 'Queues')
    const row = page.getByRole('row').filter({ has: page.getByRole('link', { name: 'images', exact: true }) })
    await page.evaluate(watchButton)
    const release = await hold({ url: '**/queues/images/pause', method: 'POST' })
    await row.getByRole('button', { name: 'Pause images' }).click()
    await row.getByText('Paused', { exact: true }).waitFor()
    await row.getByText('not confirmed yet').waitFor()
    await page.waitForResponse('**/queues?*')
    // The next action waits for the response, so that requests are not reordered.
    const sent: string[] = []
    page.on('request', (request) => sent.push(request.url()))
    await row.getByRole('button', { name: 'Resume images' }).click()
    await row.getByText('Paused').waitFor({ state: 'detached' })
    expect(sent.filter((url) => url.endsWith('/resume'))).toEqual([])
    expect(await pausedAt('images')).toBeNull()
    await release()
    await page.getByText('Queue images resumed.').waitFor()
    await row.getByText('not confirmed yet').waitFor({ state: 'detached' })
    expect(await page.evaluate('buttonsSeen')).toEqual(['Resume images', 'Pause images'])
    expect(await pausedAt('images')).toBeNull()
  })

  test('does not mark a row if the response is fast', async () => {
    await open(visitor, '/queues/images', 'images')
    await page.evaluate(watchMarks)
    await page.evaluate(answerPause)
    await page.getByRole('button', { name: 'Pause images' }).click()
    await page.getByText('Queue images paused.').waitFor()
    expect(await page.evaluate('isMarked')).toBe(false)
  })

  test.each([
    [
      'with 403',
      problem(403, 'the key lacks queues:control'),
      'was refused. Nothing was changed. 403: the key lacks',
    ],
    ['with 409', problem(409, 'it is held by another'), 'was refused. Nothing was changed. 409: it is held'],
    [
      'with 503',
      problem(503, 'The database is unavailable'),
      'failed (request r-1). 503: The database is unavailable. The change may have been made.',
    ],
    ['not at all', undefined, 'failed. The API cannot be reached. The change may have been made.'],
  ])('reverts what it has shown if the API responds %s', async (_how, answer, words) => {
    await open(visitor, '/queues/billing', 'billing')
    const paused = page.locator('h1').getByText('Paused')
    await paused.waitFor()
    await page.route('**/queues/billing/resume', (route) =>
      answer === undefined ? route.abort() : route.fulfill(answer),
    )
    await page.locator('header').getByRole('button', { name: 'Resume billing' }).click()
    await page.getByRole('status').getByText(`Resuming queue billing ${words}`).waitFor()
    await paused.waitFor()
    await page.locator('header').getByRole('button', { name: 'Resume billing' }).waitFor()
    await page.unroute('**/queues/billing/resume')
    expectRefusals()
    expect(await pausedAt('billing')).not.toBeNull()
  })

  test('on a key, a limit and a job is also shown at once and reverted', async () => {
    const rowOf = (name: string) => page.getByRole('row').filter({ hasText: name })
    await open(visitor, '/queues/webhooks?tab=keys', 'webhooks')
    let answer = await hold({ url: '**/limits', method: 'PATCH', answer: problem(409, 'try again') })
    await rowOf('initech').getByRole('button', { name: 'Resume' }).click()
    // The other state of the key is kept: it is below its limit.
    await rowOf('initech').getByText('Active').waitFor()
    await answer()
    await page.getByText('Resuming key initech in queue webhooks was refused').waitFor()
    await rowOf('initech').getByText('Paused').waitFor()
    await page.getByRole('link', { name: 'Limits', exact: true }).last().click()
    answer = await hold({ url: '**/limits?*', method: 'DELETE', answer: problem(403, 'not by you') })
    await page.getByRole('button', { name: 'Delete the limit on key umbrella in queue webhooks' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Delete limit' }).click()
    await rowOf('umbrella').waitFor({ state: 'detached' })
    await answer()
    await page.getByText('Deleting the limit on key umbrella in queue webhooks was refused').waitFor()
    await rowOf('umbrella').waitFor()
    await open(visitor, '/jobs?queue=mail&status=queued', 'Jobs')
    answer = await hold({ url: '**/cancel', method: 'POST', answer: problem(409, 'it has ended') })
    await page
      .getByRole('checkbox', { name: /^Select send_email/ })
      .first()
      .check()
    await page.getByRole('button', { name: 'Cancel 1' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel 1 job' }).click()
    const state = page.locator('tbody tr').first().locator('[data-state]')
    await holds(async () => expect(await state.getAttribute('data-state')).toBe('cancelled'))
    await answer()
    await page.getByText('Cancelling 1 job was refused. Nothing was changed. 409: it has ended').waitFor()
    await holds(async () => expect(await state.getAttribute('data-state')).toBe('queued'))
    expectRefusals()
  })

  test('cancels the selected jobs, and its undo restores them', async () => {
    await open(visitor, '/jobs?queue=reports&status=queued', 'Jobs')
    const boxes = page.getByRole('checkbox', { name: /^Select summarize_text/ })
    const before = await startsOf('reports')
    await boxes.nth(0).check()
    await boxes.nth(1).check()
    await page.getByRole('button', { name: 'Cancel 2' }).click()
    const sheet = page.getByRole('dialog', { name: 'Cancel 2 jobs?' })
    await holds(async () => expect(await sheet.getByRole('listitem').count()).toBe(2))
    await sheet.getByRole('button', { name: 'Cancel 2 jobs' }).click()
    const cancelled = { queue: 'reports', status: 'cancelled' } as const
    await holds(async () => expect((await queue.list(cancelled)).jobs).toHaveLength(2))
    await page.getByRole('button', { name: 'Undo' }).click()
    await page.getByText('Restored 2 jobs.').waitFor()
    expect((await queue.list(cancelled)).jobs).toHaveLength(0)
    expect(await startsOf('reports')).toEqual(before)
  })

  test('requeues a failed job from its page, which then updates live', async () => {
    await open(visitor, `/jobs/${world.failedId}`, '')
    await page.getByRole('button', { name: 'Requeue' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Requeue 1 job' }).click()
    await page.locator('h1 [data-state="queued"]').waitFor()
    await holds(async () => expect((await queue.get(world.failedId))?.status).toBe('queued'))
    await page.getByRole('button', { name: 'Undo' }).click()
    await page.locator('h1 [data-state="failed_permanent"]').waitFor()
    await page.getByRole('button', { name: 'Requeue' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Requeue 1 job' }).click()
    await page.locator('h1 [data-state="queued"]').waitFor()
    // The page shows the state that it expects before the API has answered.
    await holds(async () => expect((await queue.get(world.failedId))?.status).toBe('queued'))
    await queue.actAs({ type: 'token', id: 'token' }).cancel(world.failedId)
    // Only the event stream updates the page.
    await page.locator('h1 [data-state="cancelled"]').waitFor()
  })

  test('finds the jobs of an order by its number alone', async () => {
    await open(visitor, '/jobs', 'Jobs')
    await page.keyboard.press('/')
    await page.keyboard.type('4711')
    await page.getByRole('option', { name: 'metadata.order_id: 4711', selected: true }).waitFor()
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'metadata.order_id: 4711' }).waitFor()
    await holds(async () => expect(await page.locator('tbody tr').count()).toBe(2))
    await page.getByRole('link', { name: 'send_email' }).first().click()
    await page.getByRole('link', { name: 'order_id: 4711' }).waitFor()
  })

  test('cancels all matching jobs but none that came after the dry run, and its undo restores them', async () => {
    await open(visitor, '/jobs?queue=webhooks&status=queued&metadata.customer=c-3', 'Jobs')
    const cancelled = { status: 'cancelled', metadata: { customer: 'c-3' } } as const
    await page.getByRole('button', { name: 'Act on all matches' }).click()
    const sheet = page.getByRole('dialog', { name: 'Act on all matching jobs' })
    await sheet.getByRole('button', { name: 'Cancel 17 jobs' }).waitFor()
    expect(await sheet.getByRole('list', { name: 'Sample' }).getByRole('listitem').count()).toBe(10)
    // Requeue is not offered for queued jobs.
    const offered = sheet.getByRole('group', { name: 'Action' }).getByRole('button')
    expect(await offered.allInnerTexts()).toEqual(['Cancel', 'Reschedule', 'Delete', 'Erase'])
    expect(await axeFindings(visitor)).toEqual([])
    const late = { kind: 'send_email', payload: mail, queue: 'webhooks', metadata: { customer: 'c-3' } }
    const { body } = await api.post('/jobs', late, bearer)
    await sheet.getByRole('button', { name: 'Cancel 17 jobs' }).click()
    await page.getByText('Cancelled 17 jobs.').waitFor()
    expect((await queue.list(cancelled)).jobs).toHaveLength(17)
    expect((await queue.get((body as { id: string }).id))?.status).toBe('queued')
    await page.getByRole('button', { name: 'Undo' }).click()
    await page.getByText('Restored 17 jobs.').waitFor()
    expect((await queue.list(cancelled)).jobs).toHaveLength(0)
  })

  test('reschedules all matching jobs, and its undo restores each start, except of jobs that have changed', async () => {
    const filter = { queue: 'webhooks', status: 'queued', metadata: { customer: 'c-4' } } as const
    const starts = async () => {
      const { jobs } = await queue.list({ ...filter, limit: 200 })
      return new Map(jobs.map(({ id, runAt }) => [id, runAt.getTime()]))
    }
    const before = await starts()
    expect(before.size).toBe(17)
    await open(visitor, '/jobs?queue=webhooks&status=queued&metadata.customer=c-4', 'Jobs')
    await page.keyboard.press('a')
    const sheet = page.getByRole('dialog', { name: 'Act on all matching jobs' })
    await sheet.getByRole('button', { name: 'Reschedule', exact: true }).click()
    await sheet.getByText('You can undo it for 10 seconds').waitFor()
    await sheet.getByLabel('Jobs per second').fill('5')
    await sheet.getByText('there is no undo').waitFor()
    expect(await axeFindings(visitor)).toEqual([])
    await sheet.getByLabel('Jobs per second').fill('')
    await sheet.getByLabel('Earliest start').fill('2031-01-15T09:30')
    await sheet.getByRole('button', { name: 'Reschedule 17 jobs' }).click()
    await page.getByText('Rescheduled 17 jobs.').waitFor()
    const movedTo = Date.parse('2031-01-15T09:30:00+01:00')
    expect(new Set((await starts()).values())).toEqual(new Set([movedTo]))
    const [changed = ''] = before.keys()
    await queue.edit(changed, { priority: 2 })
    await page.keyboard.press('z')
    await page.getByText('Start time of 16 jobs restored. Skipped 1 job that changed since.').waitFor()
    expect(await starts()).toEqual(new Map([...before, [changed, movedTo]]))
    await queue.edit(changed, { runAt: new Date() })
  })

  test('starts an operation that deletes all matching jobs once the count is typed, and cancels the rest', async () => {
    await open(visitor, '/jobs?queue=billing', 'Jobs')
    await page.getByRole('button', { name: 'Act on all matches' }).click()
    const sheet = page.getByRole('dialog', { name: 'Act on all matching jobs' })
    await sheet.getByRole('button', { name: 'Delete', exact: true }).click()
    const confirm = sheet.getByRole('button', { name: 'Delete 88 jobs' })
    await confirm.waitFor()
    expect(await confirm.isDisabled()).toBe(true)
    await sheet.getByLabel('Jobs per second').fill('5')
    await sheet.getByLabel('Type 88 to confirm').fill('88')
    await confirm.click()
    // No worker runs operations in this test.
    await page.getByRole('heading', { level: 1, name: 'Delete' }).waitFor()
    await page.getByText('0 of 88').waitFor()
    await page.getByText('5 per second', { exact: true }).waitFor()
    await page.getByRole('button', { name: 'Cancel the rest' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel the rest' }).click()
    await page.locator('h1 [data-state="cancelled"]').waitFor()
    await page.getByRole('link', { name: 'View matching jobs' }).click()
    await page.getByRole('button', { name: /^queue: billing/ }).waitFor()
    await open(visitor, '/operations?state=running', 'Operations')
    expect(await page.locator('tbody tr').count()).toBe(1)
  })

  test('shows the conditions that need attention with their fix, and resumes a paused queue', async () => {
    await open(visitor, '/', 'Overview')
    const attention = page.getByRole('region', { name: 'Needs attention' })
    const reports = attention.getByRole('listitem').filter({ hasText: 'reports' })
    await reports.getByText('Fix: start a worker that serves this queue').waitFor()
    await attention
      .getByRole('listitem')
      .filter({ hasText: 'paused, ' })
      .getByRole('button', { name: 'Resume' })
      .click()
    await holds(async () => expect(await pausedAt('billing')).toBeNull())
    await page.getByText('Queue billing resumed.').waitFor()
    await page.getByRole('button', { name: 'Undo' }).click()
    await holds(async () => expect(await pausedAt('billing')).not.toBeNull())
  })

  test('edits a waiting job, keeps the input if the job has changed, and undoes the edit', async () => {
    const token_ = { type: 'token', id: 'token' } as const
    await open(visitor, `/jobs/${world.retryingId}`, 'send_email')
    await page.getByRole('button', { name: 'Edit', exact: true }).click()
    const sheet = page.getByRole('dialog', { name: /^Edit job/ })
    await sheet.getByLabel('Priority').fill('1')
    await sheet.getByLabel('Metadata as JSON').fill('{"order_id": 4711')
    await sheet.getByRole('button', { name: 'Save' }).click()
    await sheet.getByRole('alert').waitFor()
    await sheet.getByLabel('Metadata as JSON').fill('{"order_id": 4711}')
    await queue.actAs(token_).edit(world.retryingId, { maxAttempts: 7 })
    await sheet.getByRole('button', { name: 'Save' }).click()
    await sheet.getByText('The job has changed since you opened this form.').waitFor()
    // The browser logs the 412.
    expect(visitor.faults.splice(0)).toEqual([expect.stringContaining('412')])
    await sheet.getByRole('button', { name: 'Reload the job and keep my changes' }).click()
    await holds(async () => expect(await sheet.getByLabel('Maximum attempts').inputValue()).toBe('7'))
    await sheet.getByRole('button', { name: 'Save' }).click()
    await sheet.waitFor({ state: 'detached' })
    const edited = { priority: 1, maxAttempts: 7, metadata: { order_id: 4711 } }
    expect(await queue.get(world.retryingId)).toMatchObject(edited)
    await page.getByRole('button', { name: 'Undo' }).click()
    await page.getByText(/^Edit of job …\w+ undone/).waitFor()
    const before = { priority: 4, maxAttempts: 7, metadata: null }
    expect(await queue.get(world.retryingId)).toMatchObject(before)
  })

  test('runs a job now, undoes that, and duplicates the job', async () => {
    // Later than the test takes, however long the tests before it took.
    await queue.edit(world.retryingId, { runAt: new Date(Date.now() + 600_000) })
    await open(visitor, `/jobs/${world.retryingId}`, 'send_email')
    const dueAt = (await queue.get(world.retryingId))?.runAt.getTime() ?? 0
    await page.locator('header').getByRole('button', { name: 'Run now' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Run now' }).click()
    await page.getByRole('status').getByText('The job is due now.').waitFor()
    expect((await queue.get(world.retryingId))?.runAt.getTime()).toBeLessThan(dueAt)
    await page.getByRole('button', { name: 'Undo' }).click()
    await page.getByText('Start time restored.').waitFor()
    expect((await queue.get(world.retryingId))?.runAt.getTime()).toBe(dueAt)
    await page.getByRole('button', { name: 'More actions' }).click()
    await page.getByRole('group', { name: 'More actions' }).getByRole('button', { name: 'Duplicate' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Duplicate' }).click()
    await page.getByRole('link', { name: 'Open job' }).click()
    await page.locator('h1 [data-state="queued"]').waitFor()
    await page.getByText('"Invoice 4711"').waitFor()
  })

  test('shows why a job waits, and fixes each reason from there', async () => {
    const limit = { queue: 'webhooks', scope: 'key', name: 'c-3' } as const
    // Later than the test takes, however long the tests before it took.
    await queue.edit(world.waitingId, { runAt: new Date(Date.now() + 600_000) })
    await open(visitor, `/jobs/${world.waitingId}`, 'webhook_delivery')
    const verdict = page.getByRole('region', { name: 'Status' })
    const reasons = verdict.getByRole('list', { name: 'Reasons' }).getByRole('listitem')
    await verdict.getByText('2 things keep this job from starting.').waitFor()
    // Only polling updates the page.
    await queue.pause('webhooks')
    await verdict.getByText('3 things keep this job from starting.').waitFor()
    expect(await reasons.getByText(/^Fix:/).count()).toBe(3)
    await reasons.getByRole('button', { name: 'Run now' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Run now' }).click()
    await verdict.getByText('2 things keep this job from starting.').waitFor()
    await reasons.getByRole('button', { name: 'Resume webhooks' }).click()
    await verdict.getByText('One thing keeps this job from starting.').waitFor()
    await page.keyboard.press('j')
    await page.keyboard.press('r')
    await verdict.getByText('Nothing blocks this job.').waitFor()
    await verdict.getByText(/ahead of this one in the queue/).waitFor()
    // The limit only paused, so it is deleted.
    const { limits } = await queue.limits.list({ queue: 'webhooks' })
    expect(limits.filter(({ name }) => name === 'c-3')).toEqual([])
    await queue.limits.set({ ...limit, paused: true })
  })

  test('sets, pauses and deletes a limit, and undoes each', async () => {
    const limit = async () => {
      const { limits } = await queue.limits.list({ queue: 'mail' })
      return limits.find(({ scope }) => scope === 'key')
    }
    const turns = { queue: 'mail', scope: 'queue' } as const
    await queue.limits.set({ ...turns, fairBy: 'tenant' })
    await open(visitor, '/limits?queue=mail', 'Limits')
    await page.getByRole('button', { name: 'Pause the limit on queue mail' }).click()
    await page.getByRole('button', { name: 'Resume the limit on queue mail' }).waitFor()
    // The other rules are kept.
    await page.getByText(/^Limit on queue mail paused/).waitFor()
    expect((await queue.limits.list({ queue: 'mail' })).limits).toEqual([
      expect.objectContaining({ fairBy: 'tenant', pausedAt: expect.any(Date) }),
    ])
    await queue.limits.delete(turns)
    await page.getByRole('button', { name: 'Set a limit' }).click()
    const sheet = page.getByRole('dialog', { name: 'Set a limit' })
    await sheet.getByLabel('Applies to').selectOption('key')
    await sheet.getByLabel('Name of the key').fill('acme')
    await sheet.getByRole('button', { name: 'Set limit' }).click()
    await sheet.getByRole('alert').filter({ hasText: /\w/ }).waitFor()
    // The browser logs the 422: a limit needs at least one rule.
    expect(visitor.faults.splice(0)).toEqual([expect.stringContaining('422')])
    await sheet.getByLabel('Maximum running jobs').fill('2')
    await sheet.getByRole('button', { name: 'Set limit' }).click()
    await sheet.waitFor({ state: 'detached' })
    expect(await limit()).toMatchObject({ name: 'acme', maxRunning: 2, pausedAt: null })
    await page.getByRole('button', { name: 'Pause the limit on key acme in queue mail' }).click()
    await page.getByRole('button', { name: 'Resume the limit on key acme in queue mail' }).waitFor()
    await page.getByText(/^Limit on key acme in queue mail paused/).waitFor()
    expect(await limit()).toMatchObject({ pausedAt: expect.any(Date) })
    const undo = page.getByRole('button', { name: 'Undo' })
    await undo.last().click()
    await holds(async () => expect((await limit())?.pausedAt).toBeNull())
    await page.getByRole('button', { name: 'Delete the limit on key acme in queue mail' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Delete limit' }).click()
    await page.getByText(/^Limit on key acme in queue mail deleted/).waitFor()
    expect(await limit()).toBeUndefined()
    await undo.last().click()
    await holds(async () => expect(await limit()).toMatchObject({ name: 'acme', maxRunning: 2 }))
  })

  test('requeues and deletes dead letters', async () => {
    await open(visitor, '/dead-letters?kind=send_email', 'Dead letters')
    const before = await queue.deadLetters.count({ kind: 'send_email' })
    await page
      .getByRole('checkbox', { name: /^Select send_email/ })
      .first()
      .check()
    await page.getByRole('button', { name: 'Delete 1' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Delete 1 dead letter' }).click()
    await holds(async () => expect(await queue.deadLetters.count({ kind: 'send_email' })).toBe(before - 1))
    await page.getByRole('button', { name: 'Requeue all matches' }).click()
    await page
      .getByRole('dialog')
      .getByRole('button', { name: /^Requeue/ })
      .click()
    await holds(async () => expect(await queue.deadLetters.count({ kind: 'send_email' })).toBe(0))
    await page.getByRole('button', { name: 'Undo' }).click()
    await page.getByText(/^Restored \d+ jobs?\.$/).waitFor()
    expect(await queue.deadLetters.count({ kind: 'send_email' })).toBe(before - 1)
  })

  test('runs, pauses, resumes and deletes a schedule', async () => {
    await open(visitor, '/schedules/heartbeat', 'heartbeat')
    await page.getByRole('button', { name: 'Run now' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Run now' }).click()
    await page.getByText(/^Job …\w+ enqueued/).waitFor()
    await page.getByRole('button', { name: 'Pause heartbeat' }).click()
    await page.getByRole('button', { name: 'Resume heartbeat' }).click()
    await page.getByRole('button', { name: 'Pause heartbeat' }).waitFor()
    await page.getByRole('button', { name: 'Delete', exact: true }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Delete schedule' }).click()
    await page.getByRole('heading', { level: 1, name: 'Schedules' }).waitFor()
    await holds(async () => {
      expect((await api.fetch('/schedules/heartbeat', { headers: bearer })).status).toBe(404)
    })
    await page.getByText('Schedule heartbeat deleted.').waitFor()
    expect(visitor.faults).toEqual([])
  })

  test('enqueues by the form of a kind, which shows an error at its field', async () => {
    await open(visitor, '/kinds/send_email', 'send_email')
    await page.getByLabel('to', { exact: true }).fill('nobody')
    await page.getByLabel('subject', { exact: true }).fill('By the form')
    await page.getByLabel('body', { exact: true }).fill('Hello.')
    await page.getByRole('button', { name: 'Enqueue' }).click()
    const to = page.getByLabel('to', { exact: true })
    await holds(async () => expect(await to.getAttribute('aria-invalid')).toBe('true'))
    // The browser logs the expected 422.
    expect(visitor.faults.splice(0)).toEqual([expect.stringContaining('422')])
    await to.fill('ada@example.com')
    await page.getByRole('button', { name: 'Enqueue' }).click()
    await page.getByRole('link', { name: /^Job …/ }).click()
    await page.getByText('"By the form"').waitFor()
  })

  test('makes one job of an enqueue form, however often it is submitted', async () => {
    const made = async () => (await queue.list({ queue: 'forms' })).jobs.length
    await open(visitor, '/kinds/send_email', 'send_email')
    await page.getByLabel('to', { exact: true }).fill('ada@example.com')
    await page.getByLabel('subject', { exact: true }).fill('Once')
    await page.getByLabel('body', { exact: true }).fill('Hello.')
    await page.getByLabel('Queue', { exact: true }).fill('forms')
    const enqueue = page.getByRole('button', { name: 'Enqueue' })
    await enqueue.dblclick()
    await page.getByRole('link', { name: /^Job …/ }).waitFor()
    await submitTimes(2)
    await page
      .getByText(/^Job …\w+ enqueued/)
      .nth(1)
      .waitFor()
    expect(await made()).toBe(1)
    await page.getByLabel('subject', { exact: true }).fill('Twice')
    await enqueue.click()
    await page.getByRole('button', { name: 'Another job' }).waitFor()
    await page.getByRole('button', { name: 'Another job' }).click()
    await enqueue.click()
    await holds(async () => expect(await made()).toBe(3))
    // The reply to an earlier submission with other values was lost.
    await page.getByLabel('subject', { exact: true }).fill('Thrice')
    const refusal = problem(422, 'the idempotency key was used with another payload')
    const json = { ...refusal.json, error: 'idempotency_mismatch' }
    await page.route('**/jobs', (route) => route.fulfill({ ...refusal, json }), { times: 1 })
    await enqueue.click()
    await page.getByText('A job was already enqueued before your last changes.').waitFor()
    expectRefusals()
    await enqueue.click()
    await holds(async () => expect(await made()).toBe(4))
  })

  test('keeps what was edited as JSON in the form, or says what the form cannot show', async () => {
    await open(visitor, '/kinds/send_email', 'send_email')
    await page.getByLabel('to', { exact: true }).fill('ada@example.com')
    await page.getByRole('button', { name: 'Edit as JSON' }).click()
    const json = page.getByLabel('Payload as JSON')
    const back = page.getByRole('button', { name: 'Back to the form' })
    for (const [text, reason] of [
      ['{"to":', /JSON/],
      ['{"to":"ada@example.com","copies":1}', 'The form has no field for "copies".'],
      ['{"to":1}', 'The form cannot show this value of "to".'],
    ] as const) {
      await json.fill(text)
      await back.click()
      await page.getByRole('alert').getByText(reason).waitFor()
      expect(await json.inputValue()).toBe(text)
    }
    await json.fill('{"to":"grace@example.com","subject":"By JSON"}')
    await back.click()
    expect(await page.getByLabel('to', { exact: true }).inputValue()).toBe('grace@example.com')
    expect(await page.getByLabel('subject', { exact: true }).inputValue()).toBe('By JSON')
  })

  test('refuses a number in each form of JSON that would be rounded, and sends nothing', async () => {
    const sent: string[] = []
    const note = (request: Request): void => {
      if (request.method() !== 'GET') sent.push(request.url())
    }
    page.on('request', note)
    const refused = (number: string) =>
      page.getByRole('alert').getByText(`${number} would be rounded`).waitFor()
    await open(visitor, '/kinds/send_email', 'send_email')
    await page.getByRole('button', { name: 'Edit as JSON' }).click()
    await page.getByLabel('Payload as JSON').fill('{"to":9007199254740993}')
    await page.getByRole('button', { name: 'Enqueue', exact: true }).click()
    await refused('9007199254740993')
    await open(visitor, `/jobs/${world.waitingId}`, 'webhook_delivery')
    await page.getByRole('button', { name: 'Edit', exact: true }).click()
    const sheet = page.getByRole('dialog', { name: /^Edit job/ })
    for (const [label, number] of [
      ['Metadata as JSON', '9007199254740995'],
      ['Payload as JSON', '9007199254740997'],
    ] as const) {
      const before = await sheet.getByLabel(label).inputValue()
      await sheet.getByLabel(label).fill(`{"order":[${number}]}`)
      await sheet.getByRole('button', { name: 'Save' }).click()
      await refused(number)
      await sheet.getByLabel(label).fill(before)
      await sheet.getByRole('button', { name: 'Save' }).and(page.locator(':disabled')).waitFor()
    }
    page.off('request', note)
    expect(sent).toEqual([])
  })

  test('sends one request for a form that is submitted twice at once', async () => {
    const sent: string[] = []
    const note = (request: Request): void => {
      if (request.method() !== 'GET') sent.push(`${request.method()} ${new URL(request.url()).pathname}`)
    }
    const { id } = await insertJob(database, { kind: 'send_email', queue: 'edited' })
    page.on('request', note)
    await open(visitor, `/jobs/${id}`, 'send_email')
    await page.getByRole('button', { name: 'Edit', exact: true }).click()
    await page.getByRole('dialog').getByLabel('Priority').fill('1')
    await submitTimes(2)
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await open(visitor, '/limits?queue=edited', 'Limits')
    await page.getByRole('button', { name: 'Set a limit' }).first().click()
    await page.getByRole('dialog').getByLabel('Maximum running jobs').fill('2')
    await submitTimes(2)
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    page.off('request', note)
    expect(sent.map((one) => one.replace(id, '{id}'))).toEqual(['PATCH /jobs/{id}', 'PUT /limits'])
  })

  test('is listed in the audit log; an API key is revoked', async () => {
    const { id } = await makeKey(database, { id: 'revokeme', role: 'operate' })
    await open(visitor, '/audit?act=queue.pause', 'Audit log')
    const entries = page.getByRole('row').filter({ hasText: 'queue.pause' })
    expect(await entries.filter({ hasText: 'mail' }).count()).toBe(1)
    await open(visitor, '/keys', 'API keys')
    await page.getByRole('button', { name: 'Revoke operate of the tests' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke key' }).click()
    await holds(async () => {
      const keys = await queue.keys.list()
      expect(keys.find((key) => key.id === id)?.revokedAt).not.toBeNull()
    })
  })
})
