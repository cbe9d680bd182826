import { mkdir, writeFile } from 'node:fs/promises'
import path from 'node:path'
import process from 'node:process'
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals'
import type { Page } from 'playwright-core'
import {
  axeFindings,
  browseDashboard,
  type BrowsedDashboard,
  holds,
  type Look,
  open,
  openDialog,
  signIn,
  turnTo,
  type Visit,
} from '../support/dashboard-browser.ts'
import { pagesOf } from '../support/dashboard-pages.ts'
import { bearer, token } from '../support/dashboard-server.ts'

/** The folder for pictures of the pages; absent: no pictures. */
const picturesFolder = process.env['DASHBOARD_PICTURES']

let dashboard: BrowsedDashboard

beforeAll(async () => {
  dashboard = await browseDashboard()
})

afterEach(() => dashboard.closeVisits())

afterAll(() => dashboard.close())

/** A visit that is signed in with the token. */
async function signedIn(look?: Look): Promise<Visit> {
  const visitor = await dashboard.visit(look)
  await signIn(visitor, token)
  return visitor
}

/** Each theme and each size. */
const looks = [
  ['wide', 'light'],
  ['narrow', 'dark'],
] as const

/** The pages whose pictures are in the documentation, in the first of the looks. */
const pictured = new Set(['overview', 'jobs-act', 'job-retrying', 'errors', 'queue'])

describe('every page', () => {
  test.each(looks)(
    'shows itself %s and %s, without findings of axe, the policy or the console',
    async (size, theme) => {
      const visitor = await signedIn({ size, theme })
      const { page, faults } = visitor
      const findings: string[] = []
      for (const [name, at, heading, press] of pagesOf(dashboard.world)) {
        await turnTo(visitor, at, heading)
        if (press !== undefined) await openDialog(visitor, press)
        if (pictured.has(name) && size === 'wide') await takePicture(page, name)
        const beyond = await overflow(page)
        const found = beyond > 0 ? [`${beyond} pixels beyond the edge`] : []
        findings.push(...[...found, ...(await axeFindings(visitor))].map((one) => `${name}: ${one}`))
      }
      expect(findings).toEqual([])
      expect(faults).toEqual([])
    },
  )
})

/** The number of pixels beyond the right edge of the page. */
function overflow(page: Page): Promise<number> {
  return page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth')
}

/** As WebP, which takes a fifth of the size of PNG. */
async function takePicture(page: Page, name: string): Promise<void> {
  if (picturesFolder === undefined) return
  const folder = path.resolve(picturesFolder)
  await mkdir(folder, { recursive: true })
  const devTools = await page.context().newCDPSession(page)
  const { data } = await devTools.send('Page.captureScreenshot', { format: 'webp', quality: 70 })
  await devTools.detach()
  await writeFile(path.join(folder, `${name}.webp`), Buffer.from(data, 'base64'))
}

test('a hidden page fetches nothing, and fetches all data when it is visible again', async () => {
  const visitor = await signedIn()
  const { page } = visitor
  await open(visitor, '/jobs', 'Jobs')
  const turn = (state: string): Promise<void> =>
    page.evaluate(`Object.defineProperty(document, 'visibilityState', { value: '${state}', configurable: true })
      document.dispatchEvent(new Event('visibilitychange', { bubbles: true }))`)
  await turn('hidden')
  const asked: string[] = []
  page.on('request', (request) => asked.push(request.url()))
  await page.waitForTimeout(unseenMs)
  expect(asked).toEqual([])
  await turn('visible')
  await holds(async () => expect(asked.join('\n')).toContain('/queues'))
})

/** Longer than the shortest polling interval. */
const unseenMs = 3_000

test('these tests notice a fault of a page', async () => {
  const visitor = await signedIn()
  await open(visitor, '/', 'Overview')
  await visitor.page.evaluate(() => fetch('https://example.com/').catch(() => undefined))
  expect(visitor.faults.join('\n')).toMatch(/Content Security Policy/)
})

test('shows the numbers of a range and of a part of it, and a click leads to the jobs', async () => {
  const visitor = await signedIn()
  const { page } = visitor
  await open(visitor, '/queues/mail', 'mail')
  const numbers = page.getByRole('region', { name: 'Over time' })
  await numbers.getByRole('button', { name: '7 d', exact: true }).click()
  await holds(async () => expect(page.url()).toContain('range=7d'))
  await numbers.getByText('Show as table').click()
  await holds(async () => expect(await numbers.getByRole('row').count()).toBe(7 * 24 + 2))
  const box = await numbers.locator('.u-over').first().boundingBox()
  const at = (part: number): [number, number] => [
    (box?.x ?? 0) + part * (box?.width ?? 0),
    (box?.y ?? 0) + 20,
  ]
  await page.mouse.move(...at(0.96))
  await page.mouse.down()
  await page.mouse.move(...at(0.98), { steps: 4 })
  await page.mouse.move(...at(0.995), { steps: 4 })
  await page.mouse.up()
  await holds(async () => expect(page.url()).toMatch(/from=.*to=/))
  await numbers.getByText('per minute').or(numbers.getByText('per hour')).first().waitFor()
  await page.mouse.click(...at(0.5))
  await page.getByRole('button', { name: /^created_after/ }).waitFor()
  await page.getByRole('button', { name: /^queue: mail/ }).waitFor()
  expect(visitor.faults).toEqual([])
})

test('draws ten thousand points while the pointer moves', async () => {
  const visitor = await signedIn()
  const { page } = visitor
  const stats = (await dashboard.api.fetch('/stats', { headers: bearer })).body as {
    points: { at: string }[]
  }
  const [first] = stats.points
  const firstMs = Date.parse(first?.at ?? '')
  const points = Array.from({ length: 10_000 }, (_, index) => ({
    ...first,
    enqueued: Math.round(500 + 400 * Math.sin(index / 300)),
    at: new Date(firstMs - (10_000 - index) * 60_000).toISOString(),
  }))
  await page.route('**/stats?*', (route) => route.fulfill({ json: { ...stats, points } }))
  await open(visitor, '/queues/images', 'images')
  const frameMs = await page.evaluate(`(async () => {
    const over = document.querySelector('.u-over')
    const { left, top, width } = over.getBoundingClientRect()
    const beganAtMs = performance.now()
    for (let step = 0; step < 20; step += 1) {
      over.dispatchEvent(new MouseEvent('mousemove', { bubbles: true, clientX: left + width * step / 20, clientY: top + 9 }))
      await new Promise((resolve) => requestAnimationFrame(resolve))
    }
    return (performance.now() - beganAtMs) / 20
  })()`)
  await page.unroute('**/stats?*')
  process.stderr.write(`with ten thousand points a frame takes ${Math.round(Number(frameMs))} ms\n`)
  expect(frameMs).toBeLessThan(framesMs)
  expect(visitor.faults).toEqual([])
})

/** The limit for one pointer movement on a busy machine. A quiet one takes 17 ms, one frame. */
const framesMs = 500

test('shows the log of a handler by attempt, filtered by level', async () => {
  const visitor = await signedIn()
  const { page } = visitor
  await open(visitor, `/jobs/${dashboard.world.retryingId}`, 'send_email')
  const log = page.getByRole('log')
  await log.getByText('EHLO queue.example.com').first().waitFor()
  expect(await log.getByText('Attempt 2').count()).toBe(1)
  await page.getByRole('button', { name: 'warn' }).click()
  await holds(async () => {
    expect(await log.getByText('the server asks to slow down').count()).toBe(2)
    expect(await log.getByText(/EHLO/).count()).toBe(0)
  })
  expect(page.url()).toContain('level=warn')
  expect(visitor.faults).toEqual([])
})

test('a time is shown in both zones and copied, by pointer, keyboard and tap', async () => {
  const visitor = await signedIn()
  const { page, context, faults } = visitor
  await context.grantPermissions(['clipboard-read', 'clipboard-write'])
  await open(visitor, '/jobs?queue=mail', 'Jobs')
  const card = page.getByRole('group', { name: 'Time details' })
  const time = page.locator('tbody time').first()
  const iso = (await time.getAttribute('datetime')) ?? ''
  await time.hover()
  await card.getByText('Europe/Berlin').waitFor()
  await card.getByText(`${iso.replace('T', ' ').replace('Z', '')} UTC`).waitFor()
  // The card stays open while the pointer moves to it.
  await card.hover()
  await card.getByRole('button', { name: 'Copy ISO 8601' }).click()
  await holds(async () => expect(await page.evaluate('navigator.clipboard.readText()')).toBe(iso))
  expect(await axeFindings(visitor)).toEqual([])
  await page.keyboard.press('Escape')
  await card.waitFor({ state: 'hidden' })
  expect(page.url()).toContain('/jobs?queue=mail')
  await page.locator('tbody time').nth(3).focus()
  await card.waitFor()
  await page.keyboard.press('Enter')
  const copy = card.getByRole('button', { name: 'Copy ISO 8601' })
  await holds(async () =>
    expect(await copy.evaluate('document.activeElement.textContent')).toBe('Copy ISO 8601'),
  )
  await page.keyboard.press('Escape')
  expect(await page.evaluate('document.activeElement.tagName')).toBe('TIME')
  await card.waitFor({ state: 'hidden' })
  await page.locator('tbody time').nth(5).click()
  await card.waitFor()
  await page.getByRole('heading', { level: 1 }).click()
  await card.waitFor({ state: 'hidden' })
  expect(faults).toEqual([])
})
