import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals'
import type { Page } from 'playwright-core'
import {
  axeFindings,
  browseDashboard,
  type BrowsedDashboard,
  holds,
  open,
  signIn,
} from '../support/dashboard-browser.ts'
import { makeKey } from '../support/dashboard-world.ts'
import { token } from '../support/dashboard-server.ts'

let dashboard: BrowsedDashboard

beforeAll(async () => {
  dashboard = await browseDashboard()
})

afterEach(() => dashboard.closeVisits())

afterAll(() => dashboard.close())

const goTo = (page: Page) => page.getByRole('dialog', { name: 'Go to' })

/** The selected result, as announced to a screen reader; empty while there is none, because the results are still loading. */
async function selected(page: Page): Promise<string> {
  const id = await page.getByRole('combobox', { name: 'Go to' }).getAttribute('aria-activedescendant')
  const [text = ''] = await page.locator(`[id="${id}"]`).allTextContents()
  return text
}

test('Ctrl K opens pages, queues, kinds and schedules, and a job by its id, also from an input field', async () => {
  const visitor = await dashboard.visit()
  const { page, faults } = visitor
  await signIn(visitor, token, '/')
  const go = async (words: string, option: string): Promise<void> => {
    await page.keyboard.press('Control+k')
    await goTo(page).waitFor()
    await page.keyboard.type(words)
    await holds(async () => expect(await selected(page)).toBe(option))
    await page.keyboard.press('Enter')
    await goTo(page).waitFor({ state: 'detached' })
  }
  await go('dead', 'Dead letterspage')
  await page.getByRole('heading', { level: 1, name: 'Dead letters' }).waitFor()
  await page.locator('[data-search]').focus()
  await go('hooks', 'webhooksqueue')
  await page.getByRole('heading', { level: 1, name: 'webhooks' }).waitFor()
  await go('email kind', 'send_emailkind')
  await page.getByRole('heading', { level: 1, name: 'send_email' }).waitFor()
  await go('nightly', 'nightly-reportschedule')
  await page.getByRole('heading', { level: 1, name: 'nightly-report' }).waitFor()
  const { failedId } = dashboard.world
  await go(` ${failedId.toUpperCase()}`, `${failedId}job`)
  await page.getByText(failedId).first().waitFor()
  expect(faults).toEqual([])
})

test('arrows select a result, no results are reported, and Escape closes the palette', async () => {
  const visitor = await dashboard.visit({ size: 'narrow', theme: 'dark' })
  const { page, faults } = visitor
  await signIn(visitor, token, '/')
  await page.getByRole('button', { name: 'More' }).click()
  await page.getByRole('button', { name: /^Go to/ }).click()
  await goTo(page).waitFor()
  await holds(async () => expect(await selected(page)).toBe('Overviewpage'))
  await page.keyboard.press('ArrowDown')
  await holds(async () => expect(await selected(page)).toBe('Jobspage'))
  await page.keyboard.press('ArrowUp')
  await page.keyboard.press('ArrowUp')
  expect(await axeFindings(visitor)).toEqual([])
  await page.keyboard.type('nothing has this name')
  await page.getByText('No results.').waitFor()
  await page.keyboard.press('Enter')
  await page.keyboard.press('Escape')
  await goTo(page).waitFor({ state: 'detached' })
  expect(faults).toEqual([])
})

test('the palette offers only what the key has access to', async () => {
  const bounds = { tenantId: 'acme', queues: null, kinds: null }
  const { text } = await makeKey(dashboard.database, { id: 'tenantgo', role: 'operate', bounds })
  const visitor = await dashboard.visit()
  const { page, faults } = visitor
  await signIn(visitor, text, '/')
  await page.keyboard.press('Control+k')
  await goTo(page).waitFor()
  const titles = await page.getByRole('option').allInnerTexts()
  expect(titles.join(' ')).not.toMatch(/Workers|System|Schedules|API keys/)
  expect(faults).toEqual([])
})

test('Shift x selects a range, Escape closes the preview and goes back, y copies the link', async () => {
  const visitor = await dashboard.visit()
  const { page, context, faults } = visitor
  await context.grantPermissions(['clipboard-read', 'clipboard-write'])
  await signIn(visitor, token)
  await open(visitor, '/jobs?queue=reports&status=queued', 'Jobs')
  await page.keyboard.press('j')
  await page.keyboard.press('x')
  await page.keyboard.press('j')
  await page.keyboard.press('j')
  await page.keyboard.press('Shift+X')
  await page.getByText('3 selected').waitFor()
  await page.keyboard.press(' ')
  const preview = page.getByRole('complementary', { name: 'Job preview' })
  await preview.waitFor()
  await page.keyboard.press('Escape')
  await preview.waitFor({ state: 'detached' })
  await page.keyboard.press('j')
  await page.keyboard.press('Enter')
  await page.locator('h1', { hasText: 'summarize_text' }).waitFor()
  await page.keyboard.press('y')
  await holds(async () => expect(await page.evaluate('navigator.clipboard.readText()')).toBe(page.url()))
  await page.keyboard.press('Escape')
  await page.getByRole('heading', { level: 1, name: 'Jobs' }).waitFor()
  expect(page.url()).toContain('queue=reports')
  expect(faults).toEqual([])
})

test('brackets step through attempts, and a changed error is compared with the previous one', async () => {
  const visitor = await dashboard.visit()
  const { page, faults } = visitor
  await signIn(visitor, token)
  await open(visitor, `/jobs/${dashboard.world.retryingId}`, 'send_email')
  await page.keyboard.press('[')
  const second = page.getByRole('region', { name: 'Attempt 2' })
  await second.getByText('421 try again later').waitFor()
  await page.keyboard.press('[')
  await page.getByRole('region', { name: 'Attempt 1' }).getByText('the connection was refused').waitFor()
  await page.keyboard.press(']')
  await second.getByRole('button', { name: 'Changed since #1' }).click()
  await holds(async () => expect(page.url()).toContain('compare=1-2'))
  await page.getByText('Version').last().waitFor()
  expect(await axeFindings(visitor)).toEqual([])
  expect(faults).toEqual([])
})

test('single keys can be turned off, and Ctrl K still works', async () => {
  const visitor = await dashboard.visit()
  const { page, faults } = visitor
  await signIn(visitor, token, '/')
  await page.keyboard.press('?')
  const help = page.getByRole('dialog', { name: 'Keyboard shortcuts' })
  await help.getByRole('button', { name: 'Turn off single-key shortcuts' }).click()
  await page.keyboard.press('Escape')
  await help.waitFor({ state: 'detached' })
  await page.keyboard.press('t')
  await page.keyboard.press('?')
  await page.keyboard.press('Control+k')
  await goTo(page).waitFor()
  expect(await page.getByRole('dialog').count()).toBe(1)
  expect(await page.getByRole('button', { name: 'UTC' }).count()).toBe(0)
  expect(faults).toEqual([])
})
