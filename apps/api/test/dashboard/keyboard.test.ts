import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals'
import { insertJob } from '@queue/testing'
import type { Page, Request } from 'playwright-core'
import {
  browseDashboard,
  type BrowsedDashboard,
  holds,
  open,
  signIn,
  turnTo,
  type Visit,
} from '../support/dashboard-browser.ts'
import { pagesOf } from '../support/dashboard-pages.ts'
import { token } from '../support/dashboard-server.ts'

let dashboard: BrowsedDashboard

beforeAll(async () => {
  dashboard = await browseDashboard()
})

afterAll(() => dashboard.close())

test('everything works by keyboard: sign in, open every page, search, preview, select and cancel', async () => {
  const visitor = await dashboard.visit()
  const { page, faults } = visitor
  await page.goto(`${visitor.home}/`)
  await page.getByRole('button', { name: /^Sign in with/ }).waitFor()
  await page.keyboard.press('Tab')
  await page.keyboard.type(token)
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor()
  for (const [key, heading] of Object.entries(pagesByKey)) {
    // At once, because the second key counts only for a moment, in which a busy page may draw its charts.
    await Promise.all([page.keyboard.press('g'), page.keyboard.press(key)])
    await page.getByRole('heading', { level: 1, name: heading, exact: true }).waitFor()
  }
  await page.keyboard.press('/')
  await page.keyboard.type('queue:reports')
  await page.keyboard.press('Enter')
  await page.getByRole('button', { name: /^queue: reports/ }).waitFor()
  await page.keyboard.press('Escape')
  await holds(async () => {
    const queues = await page.locator('tbody tr td:nth-child(5)').allInnerTexts()
    expect(new Set(queues)).toEqual(new Set(['reports']))
  })
  await page.keyboard.press('j')
  await page.keyboard.press(' ')
  await page.getByRole('complementary', { name: 'Job preview' }).waitFor()
  await page.keyboard.press('j')
  await page.keyboard.press('x')
  await page.keyboard.press('c')
  await page.getByRole('dialog', { name: 'Cancel 1 job?' }).waitFor()
  await page.keyboard.press('Enter')
  await page.getByText('Cancelled 1 job.').waitFor()
  await page.keyboard.press('z')
  await page.getByText('Restored 1 job.').waitFor()
  await page.keyboard.press('?')
  await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor()
  await page.keyboard.press('Escape')
  await page.keyboard.press('t')
  await page.getByRole('button', { name: 'UTC' }).waitFor()
  expect(faults).toEqual([])
})

describe('on every page', () => {
  let visitor: Visit
  let page: Page

  beforeAll(async () => {
    visitor = await dashboard.visit()
    page = visitor.page
    await visitor.context.grantPermissions(['clipboard-read', 'clipboard-write'])
    await signIn(visitor, token)
  })

  // A fault counts against the test in which it was seen.
  afterEach(() => {
    visitor.faults.length = 0
  })

  const setting = (name: RegExp) =>
    page.getByRole('navigation', { name: 'Pages' }).getByRole('button', { name })

  test('/ searches, p pauses and resumes updates, t switches the time zone, y copies the link', async () => {
    for (const [name, path, heading, press] of pagesOf(dashboard.world)) {
      if (press !== undefined) continue
      await turnTo(visitor, path, heading)
      await page.keyboard.press('/')
      const field = page.locator('input[role="combobox"]:focus')
      await field.waitFor()
      const isOwn = (await field.getAttribute('data-search')) !== null
      expect([name, isOwn]).toEqual([name, /^(jobs.*|errors|dead-letters|audit)$/.test(name)])
      await page.keyboard.press('Escape')
      await field.waitFor({ state: 'detached' })
      await page.keyboard.press('t')
      await setting(/^UTC/).waitFor()
      await page.keyboard.press('t')
      await setting(/^Europe/).waitFor()
      await page.keyboard.press('p')
      await setting(/^Paused/).waitFor()
      await page.keyboard.press('p')
      await setting(/^Live/).waitFor()
      await page.evaluate(`navigator.clipboard.writeText('nothing')`)
      await page.keyboard.press('y')
      await holds(async () => expect(await page.evaluate('navigator.clipboard.readText()')).toBe(page.url()))
      await page.getByText('Link to this page copied.').first().waitFor()
    }
    expect(visitor.faults).toEqual([])
  })

  test('p stops all polling, and later resumes it', async () => {
    const still = await dashboard.visit()
    const { page: shown } = still
    await shown.clock.install()
    await signIn(still, token, '/')
    const asked: string[] = []
    const pending = new Set<Request>()
    shown.on('request', (request) => {
      const { pathname } = new URL(request.url())
      // Parts of the bundle that load late, such as charts, do not count: the pause is for data of the API.
      if (pathname.startsWith('/dashboard/assets/')) return
      asked.push(pathname)
      pending.add(request)
    })
    shown.on('requestfinished', (request) => pending.delete(request))
    shown.on('requestfailed', (request) => pending.delete(request))
    const asksFor = (path: string) =>
      holds(async () => {
        await shown.clock.runFor(2_000)
        expect(asked).toContain(path)
      })
    for (const [at, path] of [
      ['/', '/queues'],
      [`/jobs?queue=reports&peek=${dashboard.world.waitingId}`, `/jobs/${dashboard.world.waitingId}`],
      ['/workers', '/workers'],
    ] as const) {
      await shown.goto(`${still.home}${at}`)
      await asksFor(path)
      await shown.keyboard.press('p')
      await shown.getByRole('button', { name: /^Paused/ }).waitFor()
      // Pending requests still finish, and can render parts with requests of their own. They finish before the clock moves on, because
      // their timeout also runs by it.
      await holds(async () => {
        expect(pending.size).toBe(0)
        asked.splice(0)
        await shown.clock.runFor(1_000)
        expect([...asked, ...pending]).toEqual([])
      })
      await shown.clock.runFor(60_000)
      expect(asked).toEqual([])
      await shown.keyboard.press('p')
      await asksFor(path)
      asked.splice(0)
      await asksFor(path)
    }
    expect(still.faults).toEqual([])
  })

  test('keys do nothing while a dialog is open, wherever the user has clicked in it', async () => {
    await open(visitor, '/jobs?queue=reports&status=queued', 'Jobs')
    await page.keyboard.press('a')
    const sheet = page.getByRole('dialog', { name: 'Act on all matching jobs' })
    await sheet.getByText(/^Cancels waiting jobs/).click()
    for (const key of ['g', 'q', 't', 'p', 'j', 'x', '?', '/', 'y', 'a']) await page.keyboard.press(key)
    expect(await page.getByRole('dialog').count()).toBe(1)
    await page.keyboard.press('Escape')
    await sheet.waitFor({ state: 'detached' })
    await page.getByRole('heading', { level: 1, name: 'Jobs' }).waitFor()
    await setting(/^Europe/).waitFor()
    expect(await page.getByText(/selected$/).count()).toBe(0)
    expect(visitor.faults).toEqual([])
  })

  interface KeyCase {
    readonly keys: readonly string[]
    readonly at: (world: BrowsedDashboard['world']) => string
    /** What happens while the page is open. */
    readonly meanwhile?: () => Promise<unknown>
    readonly shows: (page: Page) => Promise<unknown>
  }

  const dialog = (name: string) => (shown: Page) => shown.getByRole('dialog', { name }).waitFor()
  const text = (words: string | RegExp) => (shown: Page) => shown.getByText(words).first().waitFor()
  const gone = (words: RegExp) => (shown: Page) => shown.getByText(words).waitFor({ state: 'detached' })
  const actor = { type: 'token', id: 'token' } as const
  const failing = () =>
    insertJob(dashboard.database, {
      kind: 'send_email',
      queue: 'mail',
      status: 'failed_permanent',
      attempts: 3,
    })

  const cases: Readonly<Record<string, KeyCase>> = {
    'a acts on all matching jobs': {
      keys: ['a'],
      at: () => '/jobs?queue=reports',
      shows: dialog('Act on all matching jobs'),
    },
    'a requeues all matching dead letters, also if some are selected': {
      keys: ['j', 'x', 'a'],
      at: () => '/dead-letters?kind=send_email',
      shows: dialog('Requeue dead letters'),
    },
    'r requeues only the selected dead letters': {
      keys: ['j', 'x', 'r'],
      at: () => '/dead-letters?kind=send_email',
      shows: dialog('Requeue 1 dead letter?'),
    },
    'Shift x selects a range of dead letters': {
      keys: ['j', 'x', 'j', 'j', 'Shift+X'],
      at: () => '/dead-letters',
      shows: text('3 selected'),
    },
    'Shift x selects a range of errors': {
      keys: ['j', 'x', 'j', 'Shift+X'],
      at: () => '/errors',
      shows: text('2 selected'),
    },
    'Space previews a job, and the next one': {
      keys: ['j', ' ', 'j', ' '],
      at: () => '/jobs?queue=reports&status=queued',
      shows: (shown) =>
        shown.getByRole('complementary', { name: 'Job preview' }).getByText('summarize_text').waitFor(),
    },
    '. shows newer jobs': {
      keys: ['.'],
      at: () => '/jobs?queue=newer',
      meanwhile: () => insertJob(dashboard.database, { kind: 'send_email', queue: 'newer' }),
      shows: gone(/newer jobs/),
    },
    '. shows newer dead letters': {
      keys: ['.'],
      at: () => '/dead-letters?kind=send_email',
      meanwhile: failing,
      shows: gone(/newer dead letters/),
    },
    '. shows newer operations': {
      keys: ['.'],
      at: () => '/operations',
      meanwhile: () => dashboard.queue.actAs(actor).many.delete({ queue: 'nowhere' }),
      shows: gone(/newer operations/),
    },
    '. shows newer entries of the audit log': {
      keys: ['.'],
      at: () => '/audit',
      meanwhile: () => dashboard.queue.actAs(actor).many.cancel({ queue: 'nowhere' }),
      shows: gone(/newer entries/),
    },
    '[ shows the newest attempt': {
      keys: ['['],
      at: ({ retryingId }) => `/jobs/${retryingId}`,
      shows: (shown) => shown.getByRole('region', { name: 'Attempt 2' }).waitFor(),
    },
    '] shows the next attempt': {
      keys: ['[', '[', ']'],
      at: ({ retryingId }) => `/jobs/${retryingId}`,
      shows: (shown) => shown.getByRole('region', { name: 'Attempt 2' }).waitFor(),
    },
    'c cancels the rest of an operation': {
      keys: ['c'],
      at: ({ operationId }) => `/operations/${operationId}`,
      shows: dialog('Cancel the rest of this operation?'),
    },
    'c cancels a job': {
      keys: ['c'],
      at: ({ waitingId }) => `/jobs/${waitingId}`,
      shows: dialog('Cancel 1 job?'),
    },
    'r requeues a job': {
      keys: ['r'],
      at: ({ failedId }) => `/jobs/${failedId}`,
      shows: dialog('Requeue 1 job?'),
    },
    'r resumes a schedule, and z undoes it': {
      keys: ['r'],
      at: () => '/schedules/monthly-invoices',
      shows: async (shown) => {
        await shown.getByText('Schedule monthly-invoices resumed.').waitFor()
        await shown.keyboard.press('z')
        await shown.getByText('Schedule monthly-invoices paused.').waitFor()
      },
    },
    'Enter opens the row': {
      keys: ['j', 'Enter'],
      at: () => '/queues',
      shows: (shown) => shown.getByRole('navigation', { name: 'Queue tabs' }).waitFor(),
    },
  }

  /** The polling interval of lists that change rarely. */
  const slowestPollMs = 10_000
  const pollAnswerMs = 2_000

  test.each(Object.entries(cases))('%s', async (_name, { keys, at, meanwhile, shows }) => {
    if (meanwhile !== undefined) await page.clock.install()
    await open(visitor, at(dashboard.world), '')
    if (meanwhile !== undefined) {
      await meanwhile()
      const newer = page.getByRole('button', { name: /newer/ })
      // For a while, the shared response is older than the new row. Each poll has time to be answered, because the timeout of a request
      // also runs by this clock.
      await holds(async () => {
        await page.clock.fastForward(slowestPollMs)
        await newer.waitFor({ timeout: pollAnswerMs })
      })
    }
    for (const key of keys) await page.keyboard.press(key)
    await shows(page)
    expect(visitor.faults).toEqual([])
  })
})

const pagesByKey = {
  e: 'Errors',
  q: 'Queues',
  l: 'Limits',
  d: 'Dead letters',
  s: 'Schedules',
  w: 'Workers',
  k: 'Kinds',
  m: 'Operations',
  a: 'Audit log',
  y: 'API keys',
  h: 'System',
  o: 'Overview',
  j: 'Jobs',
}
