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
} from '../support/dashboard-browser.ts'
import { token } from '../support/dashboard-server.ts'
import { makeKey } from '../support/dashboard-world.ts'

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

/** One noisy and two quiet customers in a separate queue. */
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

// The first of this file, because it needs the counts of the last five minutes, and those of the world end when it is made.
test('the table of queues shows how long jobs waited, from the counts of the processes', async () => {
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

describe('the keys of a queue', () => {
  test('a noisy customer is paused in three steps, and resumed', async () => {
    await open(visitor, '/', 'Overview')
    await page.getByRole('link', { name: 'letters', exact: true }).first().click()
    const parts = page.getByRole('navigation', { name: 'Queue tabs' })
    await parts.getByRole('link', { name: 'Keys' }).click()
    const first = page.getByRole('region', { name: 'Keys by waiting jobs' }).locator('tbody tr').first()
    await first.getByText('noisy', { exact: true }).waitFor()
    await first.getByRole('button', { name: 'Pause' }).click()
    await rowOf('noisy').getByText('Paused').waitFor()
    expect(page.url()).toContain('/queues/letters?tab=keys')
    // The limit of the key is set beside the limit on each key, which still applies.
    await holds(async () =>
      expect(await limitOfKey('noisy')).toMatchObject({ pausedAt: expect.any(Date), maxRunning: null }),
    )
    await rowOf('noisy').getByText('0 of 2').waitFor()
    await page.getByRole('button', { name: 'Undo' }).click()
    await rowOf('noisy').getByText('Active').waitFor()
    await holds(async () => expect(await limitOfKey('noisy')).toBeUndefined())
    await rowOf('noisy').getByRole('button', { name: 'Pause' }).click()
    await rowOf('noisy').getByRole('button', { name: 'Resume' }).click()
    await rowOf('noisy').getByText('Active').waitFor()
    await holds(async () => expect(await limitOfKey('noisy')).toBeUndefined())
  })

  test('a pause keeps the other rules of the limit of a key', async () => {
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

  test('the limit form of a key does not ask for the target', async () => {
    await open(visitor, '/queues/letters?tab=keys', 'letters')
    await rowOf('quiet-2').getByRole('button', { name: 'Limit… for key quiet-2' }).click()
    const dialog = page.getByRole('dialog', { name: 'Limit on key quiet-2 in queue letters' })
    expect(await dialog.getByLabel('Queue').count()).toBe(0)
    await dialog.getByLabel('Maximum running jobs').fill('3')
    await dialog.getByRole('button', { name: 'Set limit' }).click()
    await rowOf('quiet-2').getByText('0 of 3').waitFor()
    expect(await limitOfKey('quiet-2')).toMatchObject({ maxRunning: 3 })
    await rowOf('quiet-2').getByRole('button', { name: 'Edit limit… for key quiet-2' }).click()
    await holds(async () => expect(await page.getByLabel('Maximum running jobs').inputValue()).toBe('3'))
  })

  test('the undo of a limit restores it, unless it has changed since', async () => {
    const limit = { queue: 'letters', scope: 'key', name: 'quiet-1' } as const
    await dashboard.queue.limits.set({ ...limit, maxRunning: 4 })
    const dialog = page.getByRole('dialog')
    for (const [changed, expected, said] of [
      [undefined, 4, /restored/],
      [9, 9, /has changed since/],
    ] as const) {
      await open(visitor, '/queues/letters?tab=keys', 'letters')
      await rowOf('quiet-1').getByRole('button', { name: 'Edit limit… for key quiet-1' }).click()
      await holds(async () => expect(await dialog.getByLabel('Maximum running jobs').inputValue()).toBe('4'))
      await dialog.getByLabel('Maximum running jobs').fill('5')
      await dialog.getByRole('button', { name: 'Set limit' }).click()
      await holds(async () => expect(await limitOfKey('quiet-1')).toMatchObject({ maxRunning: 5 }))
      if (changed !== undefined) await dashboard.queue.limits.set({ ...limit, maxRunning: changed })
      await page.getByRole('button', { name: 'Undo' }).last().click()
      await page.getByText(said).last().waitFor()
      expect(await limitOfKey('quiet-1')).toMatchObject({ maxRunning: expected })
    }
    // The browser logs the 412 of the write that was refused.
    expect(visitor.faults.splice(0)).toEqual([expect.stringContaining('412')])
  })

  test('a form of a limit does not write over a change that came after it was opened', async () => {
    const limit = { queue: 'letters', scope: 'key', name: 'quiet-1' } as const
    await dashboard.queue.limits.set({ ...limit, maxRunning: 4 })
    await open(visitor, '/queues/letters?tab=keys', 'letters')
    await rowOf('quiet-1').getByRole('button', { name: 'Edit limit… for key quiet-1' }).click()
    const dialog = page.getByRole('dialog')
    await holds(async () => expect(await dialog.getByLabel('Maximum running jobs').inputValue()).toBe('4'))
    await dashboard.queue.limits.set({ ...limit, maxRunning: 6 })
    await dialog.getByLabel('Maximum running jobs').fill('5')
    await dialog.getByRole('button', { name: 'Set limit' }).click()
    await dialog
      .getByRole('alert')
      .getByText(/has changed since/)
      .waitFor()
    expect(await limitOfKey('quiet-1')).toMatchObject({ maxRunning: 6 })
    expect(visitor.faults.splice(0)).toEqual([expect.stringContaining('412')])
  })

  test('are shown without payload:read, and cannot be paused', async () => {
    const { text } = await makeKey(dashboard.database, { id: 'keysread', role: 'read' })
    const reader = await dashboard.visit({ size: 'narrow', theme: 'dark' })
    await signIn(reader, text)
    await open(reader, '/queues/letters?tab=keys', 'letters')
    await reader.page.getByText('noisy').first().waitFor()
    expect(await reader.page.getByRole('button', { name: 'Pause' }).count()).toBe(0)
    expect(await axeFindings(reader)).toEqual([])
    expect(reader.faults).toEqual([])
  })
})

describe('the tabs of a queue', () => {
  const parts = () => page.getByRole('navigation', { name: 'Queue tabs' })
  const current = async () => parts().locator('[aria-current="page"]').innerText()

  test('have addresses, which survive a reload and going back, and keep the range', async () => {
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
    // The overview also has this address.
    await open(visitor, '/queues/mail?tab=overview', 'mail')
    await page.getByRole('region', { name: 'Over time' }).waitFor()
  })

  test('show the usage of each limit, and set, edit and delete limits', async () => {
    await open(visitor, '/queues/webhooks?tab=limits', 'webhooks')
    await rowOf('webhook_delivery').getByRole('link', { name: '8 of 20' }).waitFor()
    await rowOf('each key').getByRole('link', { name: '5 per key' }).waitFor()
    await page.getByRole('button', { name: 'Set a limit' }).click()
    const dialog = page.getByRole('dialog')
    expect(await dialog.getByLabel('Queue').inputValue()).toBe('webhooks')
    await dialog.getByLabel('Maximum running jobs').fill('9')
    await dialog.getByRole('button', { name: 'Set limit' }).click()
    // Running jobs count.
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

  test('list the workers that serve the queue, and its running jobs', async () => {
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

  test('for workers and limits are hidden from a tenant, and their addresses name the missing permission', async () => {
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

  test('keep loaded data if the API does not respond, with its time', async () => {
    await open(visitor, '/queues/webhooks?tab=limits', 'webhooks')
    await rowOf('each key').waitFor()
    await page.route('**/limits?*', (route) => route.abort())
    await page.getByText(/^As of .*The API cannot be reached/).waitFor()
    expect(await rowOf('each key').count()).toBe(1)
    // Held until the click: a poll that succeeds before it would remove the button.
    const released = Promise.withResolvers<void>()
    await page.route('**/limits?*', async (route) => {
      await released.promise
      await route.continue()
    })
    await page.getByRole('button', { name: 'Retry' }).click()
    released.resolve()
    await page.getByText(/^As of/).waitFor({ state: 'detached' })
    // The browser logs the failed requests.
    expect(visitor.faults.splice(0).every((fault) => fault.includes('ERR_FAILED'))).toBe(true)
  })
})

describe('the table of queues estimates when a queue clears', () => {
  const counts = { enqueued: 0, started: 0, succeeded: 0, failed: 0, retried: 0, cancelled: 0, run_ms: null }
  const wait = { p50: 100, p95: 1_200, p99: 2_000 }

  /** The state and the counts of a queue, and the expected texts for wait p95 and clears in. */
  interface Shown {
    readonly queue?: object
    readonly did?: object
    readonly shown: readonly string[]
  }

  async function expectShown({ queue, did, shown }: Shown): Promise<void> {
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
    // The counts are read apart from the queues, and can come after them.
    await holds(async () => {
      const cells = await page.locator('tbody tr td').allInnerTexts()
      expect([cells[6], cells[8]]).toEqual(shown)
    })
  }

  test.each([
    ['from the starts', { did: { started: 600 }, shown: ['1.2 s', '5 min'] }],
    [
      'minus the arrivals',
      {
        queue: { newly_ready: 100 },
        did: { started: 600, enqueued: 100, retried: 100 },
        shown: ['1.2 s', '10 min'],
      },
    ],
    [
      'not at this rate if arrivals equal starts',
      { queue: { newly_ready: 600 }, did: { started: 600 }, shown: ['1.2 s', 'not at this rate'] },
    ],
    ['not at this rate if nothing starts', { shown: ['–', 'not at this rate'] }],
    [
      'unknown for a new backlog without counts',
      { queue: { oldest_ready_seconds: 20 }, shown: ['–', 'unknown'] },
    ],
    [
      'from the starts alone if the queue keeps up',
      { queue: { ready: 6, newly_ready: 600 }, did: { started: 600 }, shown: ['1.2 s', '3 s'] },
    ],
    [
      'not at this rate without workers',
      { queue: { workers: 0, oldest_ready_seconds: 20 }, shown: ['–', 'not at this rate'] },
    ],
    ['not shown if nothing is due', { queue: { ready: 0 }, shown: ['–', '–'] }],
  ] satisfies readonly (readonly [string, Shown])[])('%s', (_what, shown: Shown) => expectShown(shown))
})

describe('the page of a worker', () => {
  test('shows its lease, what it serves, and its running jobs', async () => {
    await open(visitor, '/workers', 'Workers')
    await page.getByRole('link', { name: 'images-7f4c' }).click()
    await page.getByRole('heading', { level: 1, name: 'images-7f4c' }).waitFor()
    const now = page.getByRole('region', { name: 'Current state' })
    await now.getByText(/min left$/).waitFor()
    await now.getByText('1 of 4').waitFor()
    const serves = page.getByRole('region', { name: 'Serves' })
    await serves.getByRole('link', { name: 'images' }).waitFor()
    await serves.getByRole('link', { name: 'resize_image' }).waitFor()
    const jobs = page.getByRole('region', { name: 'Running jobs' })
    await jobs.getByText('40 % decoding').waitFor()
    await jobs.getByRole('link', { name: 'resize_image' }).click()
    await holds(async () => expect(page.url()).toContain(`/jobs/${dashboard.world.runningId}`))
  })

  test('says that the jobs of a lost worker are recovered, and that an unknown worker is not found', async () => {
    await open(visitor, '/workers/reports-0c2e', 'reports-0c2e')
    await page.getByText('Other workers recover its jobs.').waitFor()
    await page.getByText('No running jobs').waitFor()
    await open(visitor, '/workers/nobody', 'nobody')
    await page.getByText('No worker with this ID').waitFor()
  })
})

describe('the link of an alert', () => {
  const rules = new URL('../../../../infra/prometheus/rules/queue.rules.yml', import.meta.url)

  /** All alerts, and whether each has a link to the dashboard. */
  async function alertsOf(): Promise<(readonly [name: string, isLinked: boolean])[]> {
    const parts = (await readFile(rules, 'utf8')).split(/^ +- alert: /m).slice(1)
    return parts.map((part) => [part.split('\n', 1)[0] ?? '', part.includes('dashboard_url:')])
  }

  test('leads somewhere, of each alert that there is', async () => {
    const alerts = await alertsOf()
    expect(alerts.length).toBeGreaterThan(20)
    const landed: (readonly [name: string, isLinked: boolean])[] = []
    await open(visitor, '/', 'Overview')
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
  ])('uses the labels of the alert: %s', async (alert, at, heading) => {
    await open(visitor, `/go/${alert}`, heading)
    expect(page.url()).toBe(`${visitor.home}${at}`)
    // Going back returns to the previous page.
    await page.goBack()
    expect(page.url()).not.toContain('/go/')
  })

  test('shows a message for an unknown alert', async () => {
    await turnTo(visitor, '/go/Nothing', 'Nothing')
    await page.getByText('Unknown alert').waitFor()
  })
})
