import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { eventually } from '@queue/testing'
import type { BrowserContext, Page } from 'playwright-core'
import { launchBrowser } from './browser.ts'
import { startDashboard, type TestDashboard } from './dashboard-server.ts'

const axeSource = readFile(createRequire(import.meta.url).resolve('axe-core'), 'utf8')
const waitMs = 30_000
const sizes = { wide: { width: 1_440, height: 900 }, narrow: { width: 360, height: 740 } }

/** The dashboard and a browser. */
export interface BrowsedDashboard extends TestDashboard {
  visit(look?: Look): Promise<Visit>
  /** Closes all visits. A failed test leaves its visit open, which would slow the others down. */
  closeVisits(): Promise<void>
}

export interface Look {
  readonly size?: 'wide' | 'narrow'
  readonly theme?: 'light' | 'dark'
}

/** A browser context that is not signed in, and the faults in it. */
export interface Visit {
  readonly page: Page
  readonly context: BrowserContext
  /** The address of the dashboard, without a slash at its end. */
  readonly home: string
  /** Script errors, console errors, violations of the policy, and requests to other hosts. */
  readonly faults: string[]
}

export async function browseDashboard(): Promise<BrowsedDashboard> {
  const [browser, dashboard] = await Promise.all([launchBrowser(), startDashboard()])
  const { base } = dashboard.api
  const contexts: BrowserContext[] = []
  const visit: BrowsedDashboard['visit'] = async ({ size = 'wide', theme = 'light' } = {}) => {
    const context = await browser.newContext({
      viewport: sizes[size],
      colorScheme: theme,
      locale: 'en-US',
      timezoneId: 'Europe/Berlin',
      reducedMotion: 'reduce',
    })
    contexts.push(context)
    const faults: string[] = []
    const page = await context.newPage()
    await noteFaults(page, { base, faults })
    return { page, context, home: `${base}/dashboard`, faults }
  }
  const closeVisits = async (): Promise<void> => {
    await Promise.all(contexts.splice(0).map((context) => context.close()))
  }
  const close = async (): Promise<void> => {
    await browser.close()
    await dashboard.close()
  }
  return { ...dashboard, visit, closeVisits, close }
}

interface FaultNotes {
  /** The only address that the page can request. */
  readonly base: string
  readonly faults: string[]
}

async function noteFaults(page: Page, { base, faults }: FaultNotes): Promise<void> {
  page.setDefaultTimeout(waitMs)
  page.on('console', (message) => message.type() === 'error' && faults.push(`console: ${message.text()}`))
  page.on('response', (response) => {
    if (response.status() < 500) return
    const why = response.text().catch((error: unknown) => String(error))
    void why.then((text) => faults.push(`Failed to load resource ${response.url()}: ${text}`))
  })
  page.on('pageerror', (error) => faults.push(`error: ${error.message}`))
  page.on('request', (request) => {
    const url = request.url()
    if (!url.startsWith(`${base}/`) && !url.startsWith('data:')) faults.push(`request to ${url}`)
  })
  await page.addInitScript({
    content: `addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI }) =>
      console.error('blocked by the policy: ' + violatedDirective + ' ' + blockedURI))`,
  })
}

/** Signs in by the form, at `at`. */
export async function signInByForm({ page, home }: Visit, key: string, at = '/'): Promise<void> {
  await page.goto(`${home}${at}`)
  await page.getByLabel('API key').fill(key)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await navigation(page).waitFor()
}

/**
 * Signs in by the request that the form sends, so that the first page to load is the one that a test is about. With `at`, it
 * loads that page.
 */
export async function signIn({ page, home, context }: Visit, key: string, at?: string): Promise<void> {
  const { origin } = new URL(home)
  const answer = await context.request.post(`${home}/session`, { data: { key }, headers: { origin } })
  if (!answer.ok())
    throw new Error(`The sign-in was answered with ${answer.status()}: ${await answer.text()}`)
  if (at === undefined) return
  await page.goto(`${home}${at}`)
  await navigation(page).waitFor()
}

const navigation = (page: Page) => page.getByRole('navigation', { name: /^Pages/ }).first()

/** Loads a page, and waits until it shows its data. */
export async function open(visit: Visit, at: string, heading: string): Promise<void> {
  await visit.page.goto(`${visit.home}${at}`)
  await settle(visit, heading)
}

/** Navigates without a reload, which is faster. The heading must differ from that of the previous page. */
export async function turnTo(visit: Visit, at: string, heading: string): Promise<void> {
  const { page, home } = visit
  const isIn = page.url().startsWith(home) && (await page.getByRole('dialog').count()) === 0
  if (!isIn) return open(visit, at, heading)
  await page.evaluate(`history.pushState({}, '', ${JSON.stringify(`/dashboard${at}`)})`)
  await settle(visit, heading)
}

async function settle({ page }: Visit, heading: string): Promise<void> {
  await page.getByRole('heading', { level: 1, name: heading }).waitFor()
  await page.locator('[role="status"]:has-text("Loading")').first().waitFor({ state: 'detached' })
  const numbers = page.getByRole('region', { name: 'Over time' })
  if ((await numbers.count()) > 0) await numbers.locator('.u-wrap').nth(3).waitFor()
  // The chart library is loaded after the page.
  await page.locator('main figure:not(:has(.u-wrap))').first().waitFor({ state: 'detached' })
}

/** Presses a button that opens a dialog, and waits until the dialog shows its data. */
export async function openDialog({ page }: Visit, press: string): Promise<void> {
  await page.getByRole('button', { name: press, exact: true }).click()
  const dialog = page.getByRole('dialog')
  await dialog.waitFor()
  await dialog.locator('[role="status"]:has-text("Loading")').waitFor({ state: 'detached' })
}

/** The accessibility findings of axe. */
export async function axeFindings({ page }: Visit): Promise<string[]> {
  if ((await page.evaluate('typeof axe')) === 'undefined') await page.evaluate(await axeSource)
  return page.evaluate(`axe.run({ resultTypes: ['violations'] }).then(({ violations }) =>
    violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => id + ': ' + html.slice(0, 200))))`)
}

/** Waits until these expectations hold. */
export async function holds(expectations: () => Promise<void>): Promise<void> {
  await eventually(async () => (await expectations(), true), { deadlineMs: waitMs })
}
