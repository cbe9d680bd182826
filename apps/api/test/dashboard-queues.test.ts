import { readFile } from 'node:fs/promises'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { insertJob } from '@queue/testing'
import type { Locator, Page } from 'playwright-core'
import {
  axeFindings,
  browseDashboard,
  type BrowsedDashboard,
  holds,
  open,
  signIn,
  turnTo,
  type Visit,
} from './support/dashboard-browser.ts'
import { token } from './support/dashboard-server.ts'
import { makeKey } from './support/dashboard-world.ts'

let dashboard: BrowsedDashboard
let visitor: Visit
let page: Page

beforeAll(async () => {
  dashboard = await browseDashboard()
  await insertKeyed(dashboard)
})

beforeEach(async () => {
  visitor = await dashboard.visit()
  page = visitor.page
  await signIn(visitor, token)
})

afterEach(async () => {
  await dashboard.closeVisits()
  expect(visitor.faults).toEqual([])
})

afterAll(() => dashboard.close())

/** A noisy customer and two quiet ones in a queue of their own. */
async function insertKeyed({ database }: BrowsedDashboard): Promise<void> {
  for (const [key, many] of [
    ['quiet-1', 2],
    ['noisy', 9],
    ['quiet-2', 1],
  ] as const) {
    for (let n = 0; n < many; n += 1) {
      await insertJob(database, { kind: 'send_email', queue: 'letters', key, runAt: { msFromNow: -60_000 } })
    }
  }
  await database.queue.limits.set({ queue: 'letters', scope: 'each_key', maxRunning: 2 })
}

const rowOf = (name: string): Locator => page.getByRole('row').filter({ hasText: name })
const limitOfKey = (name: string) => dashboard.queue.limits.get({ queue: 'letters', scope: 'key', name })

describe('the keys of a queue', () => {
  test('stops the noisy customer of a queue in three steps, and lets it go on', async () => {
    await open(visitor, '/', 'Overview')
    await page.getByRole('link', { name: 'letters', exact: true }).first().click()
    const parts = page.getByRole('navigation', { name: 'Queue tabs' })
    await parts.getByRole('link', { name: 'Keys' }).click()
    const first = page.getByRole('region', { name: 'Keys by waiting jobs' }).locator('tbody tr').first()
    await first.getByText('noisy', { exact: true }).waitFor()
    await first.getByRole('button', { name: 'Pause' }).click()
    await rowOf('noisy').getByText('Paused').waitFor()
    expect(page.url()).toContain('/queues/letters?tab=keys')
    // A limit of a key stands beside that of each key, which still bounds it.
    await holds(async () =>
      expect(await limitOfKey('noisy')).toMatchObject({ pausedAt: expect.any(Date), maxRunning: null }),
    )
    expect(await rowOf('noisy').getByText('0 of 2').count()).toBe(1)
    await page.getByRole('button', { name: 'Undo' }).click()
    await rowOf('noisy').getByText('Active').waitFor()
    await holds(async () => expect(await limitOfKey('noisy')).toBeUndefined())
    await rowOf('noisy').getByRole('button', { name: 'Pause' }).click()
    await rowOf('noisy').getByRole('button', { name: 'Resume' }).click()
    await rowOf('noisy').getByText('Active').waitFor()
    await holds(async () => expect(await limitOfKey('noisy')).toBeUndefined())
  })

  test('keeps what a limit of a key says beside the pause', async () => {
    const limit = { queue: 'letters', scope: 'key', name: 'quiet-1' } as const
    await dashboard.queue.limits.set({ ...limit, maxRunning: 7 })
    await open(visitor, '/queues/letters?tab=keys', 'letters')
    await rowOf('quiet-1').getByRole('button', { name: 'Pause' }).click()
    await rowOf('quiet-1').getByText('Paused').waitFor()
    const paused = { maxRunning: 7, pausedAt: expect.any(Date) }
    await holds(async () => expect(await limitOfKey('quiet-1')).toMatchObject(paused))
    await rowOf('quiet-1').getByRole('button', { name: 'Resume' }).click()
    await rowOf('quiet-1').getByText('Active').waitFor()
    const open_ = { maxRunning: 7, pausedAt: null }
    await holds(async () => expect(await limitOfKey('quiet-1')).toMatchObject(open_))
  })

  test('sets a limit of a key without a question about what it is', async () => {
    await open(visitor, '/queues/letters?tab=keys', 'letters')
    await rowOf('quiet-2').getByRole('button', { name: 'Limit… for key quiet-2' }).click()
    const dialog = page.getByRole('dialog', { name: 'Limit on key quiet-2 in queue letters' })
    expect(await dialog.getByLabel('Queue').count()).toBe(0)
    await dialog.getByLabel('Maximum running jobs').fill('3')
    await dialog.getByRole('button', { name: 'Set limit' }).click()
    await rowOf('quiet-2').getByText('0 of 3').waitFor()
    expect(await limitOfKey('quiet-2')).toMatchObject({ maxRunning: 3 })
    await rowOf('quiet-2').getByRole('button', { name: 'Edit limit… for key quiet-2' }).click()
    expect(await page.getByLabel('Maximum running jobs').inputValue()).toBe('3')
  })

  test('are hidden from a key that sees no payloads, and cannot be paused by it', async () => {
    const { text } = await makeKey(dashboard.database, { id: 'keysread', role: 'read' })
    const reader = await dashboard.visit({ size: 'narrow', theme: 'dark' })
    await signIn(reader, text)
    await open(reader, '/queues/letters?tab=keys', 'letters')
    await reader.page.getByText('Hidden: needs payload:read').first().waitFor()
    expect(await reader.page.getByText('noisy').count()).toBe(0)
    expect(await reader.page.getByRole('button', { name: 'Pause' }).count()).toBe(0)
    expect(await axeFindings(reader)).toEqual([])
    expect(reader.faults).toEqual([])
  })
})

describe('the parts of a queue', () => {
  const parts = () => page.getByRole('navigation', { name: 'Queue tabs' })
  const current = async () => parts().locator('[aria-current="page"]').innerText()

  test('have an address each, which a reload and the way back keep, as they keep the range', async () => {
    await open(visitor, '/queues/mail?range=7d', 'mail')
    expect(await current()).toBe('Overview')
    for (const [word, tab] of [
      ['Keys', 'keys'],
      ['Limits', 'limits'],
      ['Workers', 'workers'],
    ] as const) {
      await parts().getByRole('link', { name: word }).click()
      await holds(async () => expect(page.url()).toBe(`${visitor.home}/queues/mail?range=7d&tab=${tab}`))
    }
    await page.reload()
    await page.getByRole('region', { name: 'Workers of this queue' }).waitFor()
    expect(await current()).toMatch(/^Workers/)
    await page.goBack()
    await page.getByRole('region', { name: 'Limits of this queue' }).waitFor()
    await parts().getByRole('link', { name: 'Overview' }).click()
    await page.getByRole('region', { name: 'Current state' }).waitFor()
    expect(page.url()).toBe(`${visitor.home}/queues/mail?range=7d`)
    // As the address of the overview may be written, too.
    await open(visitor, '/queues/mail?tab=overview', 'mail')
    await page.getByRole('region', { name: 'Over time' }).waitFor()
  })

  test('say how far each limit is used, and set, change and delete it in place', async () => {
    await open(visitor, '/queues/webhooks?tab=limits', 'webhooks')
    await rowOf('webhook_delivery').getByRole('link', { name: '8 of 20' }).waitFor()
    await rowOf('each key').getByRole('link', { name: '5 per key' }).waitFor()
    await page.getByRole('button', { name: 'Set a limit' }).click()
    const dialog = page.getByRole('dialog')
    expect(await dialog.getByLabel('Queue').inputValue()).toBe('webhooks')
    await dialog.getByLabel('Maximum running jobs').fill('9')
    await dialog.getByRole('button', { name: 'Set limit' }).click()
    // What runs already counts.
    await rowOf('all jobs').getByRole('link', { name: '8 of 9' }).waitFor()
    await page.getByRole('button', { name: 'Edit the limit on queue webhooks' }).click()
    await dialog.getByLabel('Maximum running jobs').fill('8')
    await dialog.getByRole('button', { name: 'Set limit' }).click()
    await rowOf('all jobs').getByRole('link', { name: '8 of 8' }).waitFor()
    await page.getByRole('button', { name: 'Delete the limit on queue webhooks' }).click()
    await dialog.getByRole('button', { name: 'Delete limit' }).click()
    await rowOf('all jobs').waitFor({ state: 'detached' })
    await rowOf('webhook_delivery').getByRole('link', { name: '8 of 20' }).click()
    await page.getByRole('button', { name: /^kind: webhook_delivery/ }).waitFor()
    await holds(async () => expect(await page.locator('tbody tr').count()).toBe(8))
  })

  test('name the processes that serve it, with the jobs of it that they hold', async () => {
    await open(visitor, '/queues/webhooks?tab=workers', 'webhooks')
    const serving = page.getByRole('region', { name: 'Workers of this queue' })
    await serving.getByText('1 live worker, 8 of 12 slots in use').waitFor()
    await serving.getByRole('link', { name: '1.4.2' }).waitFor()
    const inHand = page.getByRole('region', { name: 'Running jobs' })
    await holds(async () => expect(await inHand.locator('tbody tr').count()).toBe(8))
    expect(await inHand.getByRole('link', { name: 'hooks-93aa' }).count()).toBe(8)
    await open(visitor, '/queues/letters?tab=workers', 'letters')
    await serving.getByText('No worker serves letters').waitFor()
    await page.getByText('No running jobs').waitFor()
  })

  test('of workers and limits are not there for a tenant, and their addresses name what is missing', async () => {
    const { database } = dashboard
    await insertJob(database, { kind: 'send_email', queue: 'letters', tenantId: 'acme', key: 'mine' })
    const bounds = { tenantId: 'acme', queues: null, kinds: null }
    const { text } = await makeKey(database, { id: 'tenantpa', role: 'operate', bounds })
    const tenant = await dashboard.visit({ size: 'narrow', theme: 'dark' })
    await signIn(tenant, text)
    for (const tab of ['workers', 'limits']) {
      await open(tenant, `/queues/letters?tab=${tab}`, 'letters')
      await tenant.page.getByText('ops:read').waitFor()
    }
    const links = tenant.page.getByRole('navigation', { name: 'Queue tabs' }).getByRole('link')
    expect(await links.allInnerTexts()).toEqual(['Overview', 'Keys'])
    expect(await axeFindings(tenant)).toEqual([])
    expect(tenant.faults).toEqual([])
  })

  test('keep what they have shown where the API does not answer, and say since when', async () => {
    await open(visitor, '/queues/webhooks?tab=limits', 'webhooks')
    await rowOf('each key').waitFor()
    await page.route('**/limits?*', (route) => route.abort())
    await page.getByText(/^As of .*The API cannot be reached/).waitFor()
    expect(await rowOf('each key').count()).toBe(1)
    await page.unroute('**/limits?*')
    await page.getByRole('button', { name: 'Retry' }).click()
    await page.getByText(/^As of/).waitFor({ state: 'detached' })
    // The browser tells of the requests that came to nothing.
    expect(visitor.faults.splice(0).every((fault) => fault.includes('ERR_FAILED'))).toBe(true)
  })
})

describe('the table of queues says in what time a queue clears', () => {
  const counts = { enqueued: 0, started: 0, succeeded: 0, failed: 0, retried: 0, cancelled: 0, run_ms: null }
  const wait = { p50: 100, p95: 1_200, p99: 2_000 }

  /** What a queue has to do and has done in five minutes, and what its row says of the wait and of when it clears. */
  interface Shown {
    readonly queue?: object
    readonly did?: object
    readonly shown: readonly string[]
  }

  async function shownOf({ queue, did }: Shown): Promise<string[]> {
    await page.route('**/queues?*', async (route) => {
      const one = {
        name: 'q',
        paused_at: null,
        depth: { queued: 600, retrying: 0, running: 0 },
        ready: 600,
        newly_ready: 0,
        oldest_ready_seconds: 900,
        workers: 1,
        ...queue,
      }
      await route.fulfill({ json: { data: [one], next_cursor: null } })
    })
    await page.route('**/stats?*by=queue*', async (route) => {
      const series = did === undefined ? [] : [{ queue: 'q', kind: null, ...counts, wait_ms: wait, ...did }]
      const json = {
        from: '2026-01-15T09:30:00.000Z',
        to: '2026-01-15T09:35:00.000Z',
        step: 'minute',
        points: [],
        total: { ...counts, wait_ms: null },
        series,
      }
      await route.fulfill({ json })
    })
    await open(visitor, '/queues', 'Queues')
    await rowOf('q').last().locator('td').last().waitFor()
    const cells = await page.locator('tbody tr td').allInnerTexts()
    return [cells[6] ?? '', cells[8] ?? '']
  }

  test.each([
    ['by what starts', { did: { started: 600 }, shown: ['1.2 s', '5 min'] }],
    [
      'less what comes',
      {
        queue: { newly_ready: 100 },
        did: { started: 600, enqueued: 100, retried: 100 },
        shown: ['1.2 s', '10 min'],
      },
    ],
    [
      'not at this rate',
      { queue: { newly_ready: 600 }, did: { started: 600 }, shown: ['1.2 s', 'not at this rate'] },
    ],
    ['not while nothing starts', { shown: ['–', 'not at this rate'] }],
    ['unknown of what has only come', { queue: { oldest_ready_seconds: 20 }, shown: ['–', 'unknown'] }],
    [
      'at once where it keeps up',
      { queue: { ready: 6, newly_ready: 600 }, did: { started: 600 }, shown: ['1.2 s', '3 s'] },
    ],
    [
      'not where no worker serves it',
      { queue: { workers: 0, oldest_ready_seconds: 20 }, shown: ['–', 'not at this rate'] },
    ],
    ['nothing where nothing is due', { queue: { ready: 0 }, shown: ['–', '–'] }],
  ] satisfies readonly (readonly [string, Shown])[])('%s', async (_what, shown: Shown) => {
    expect(await shownOf(shown)).toEqual(shown.shown)
  })

  test('and how long its jobs waited, from what the processes have counted', async () => {
    await open(visitor, '/queues', 'Queues')
    await holds(async () => {
      const cells = await page
        .getByRole('row')
        .filter({ has: page.getByRole('link', { name: 'mail', exact: true }) })
        .locator('td')
        .allInnerTexts()
      expect(cells[6]).toMatch(/^\d[\d.]* (ms|s)$/)
      expect(cells[8]).toMatch(/\d (s|min|h)$|rate/)
    })
  })
})

describe('the page of a worker', () => {
  test('has its lease, what it serves, and the jobs in its hands', async () => {
    await open(visitor, '/workers', 'Workers')
    await page.getByRole('link', { name: 'images-7f4c' }).click()
    await page.getByRole('heading', { level: 1, name: 'images-7f4c' }).waitFor()
    const now = page.getByRole('region', { name: 'Current state' })
    await now.getByText(/min left$/).waitFor()
    expect(await now.getByText('1 of 4').count()).toBe(1)
    const serves = page.getByRole('region', { name: 'Serves' })
    expect(await serves.getByRole('link', { name: 'images' }).count()).toBe(1)
    await serves.getByRole('link', { name: 'resize_image' }).waitFor()
    const jobs = page.getByRole('region', { name: 'Running jobs' })
    await jobs.getByText('40 % decoding').waitFor()
    await jobs.getByRole('link', { name: 'resize_image' }).click()
    await holds(async () => expect(page.url()).toContain(`/jobs/${dashboard.world.runningId}`))
  })

  test('says of one that is lost that its jobs are taken over, and of none where it is', async () => {
    await open(visitor, '/workers/reports-0c2e', 'reports-0c2e')
    await page.getByText('Other workers recover its jobs.').waitFor()
    await page.getByText('No running jobs').waitFor()
    await open(visitor, '/workers/nobody', 'nobody')
    await page.getByText('No worker with this ID').waitFor()
  })
})

describe('the link of an alert', () => {
  const rules = new URL('../../../infra/prometheus/rules/queue.rules.yml', import.meta.url)

  /** Every alert, with whether it has a link to the dashboard. */
  async function alertsOf(): Promise<(readonly [name: string, isLinked: boolean])[]> {
    const parts = (await readFile(rules, 'utf8')).split(/^ +- alert: /m).slice(1)
    return parts.map((part) => [part.split('\n', 1)[0] ?? '', part.includes('dashboard_url:')])
  }

  test('leads somewhere, of each alert that there is', async () => {
    const alerts = await alertsOf()
    expect(alerts.length).toBeGreaterThan(20)
    const landed: (readonly [name: string, isLinked: boolean])[] = []
    for (const [name] of alerts) {
      await page.evaluate(`history.pushState({}, '', ${JSON.stringify(`/dashboard/go/${name}`)})`)
      const heading = page.getByRole('heading', { level: 1 })
      await holds(async () => {
        const title = await heading.innerText()
        expect(new URL(page.url()).pathname.startsWith('/dashboard/go/')).toBe(title === name)
      })
      if (await page.getByText('Unknown alert').count()) continue
      landed.push([name, !(await page.getByText('The dashboard has no page for this alert').count())])
    }
    expect(landed).toEqual(alerts)
  })

  test.each([
    ['QueueBacklogOld?queue=letters', '/queues/letters', 'letters'],
    ['QueueUnserved?queue=letters', '/queues/letters?tab=workers', 'letters'],
    [
      'QueueKindUnserved?queue=mail&kind=send_email',
      '/jobs?queue=mail&kind=send_email&status=queued',
      'Jobs',
    ],
    ['QueueJobsFailing?kind=send_email', '/errors?kind=send_email&sort=count', 'Errors'],
    ['QueueDeadLetters?kind=send_email', '/dead-letters?kind=send_email', 'Dead letters'],
    ['QueueWorkersLost', '/workers', 'Workers'],
  ])('goes by its labels: %s', async (alert, at, heading) => {
    await open(visitor, `/go/${alert}`, heading)
    expect(page.url()).toBe(`${visitor.home}${at}`)
    // The way back is where its reader came from.
    await page.goBack()
    expect(page.url()).not.toContain('/go/')
  })

  test('of none of ours says so', async () => {
    await turnTo(visitor, '/go/Nothing', 'Nothing')
    await page.getByText('Unknown alert').waitFor()
  })
})
