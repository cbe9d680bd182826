import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals'
import { browseDashboard, type BrowsedDashboard, holds } from './support/dashboard-browser.ts'
import { token } from './support/dashboard-server.ts'

let dashboard: BrowsedDashboard

beforeAll(async () => {
  dashboard = await browseDashboard()
})

afterEach(() => dashboard.closeVisits())

afterAll(() => dashboard.close())

test('the keyboard alone signs in, goes to every page, finds, peeks, selects and cancels', async () => {
  const visitor = await dashboard.visit()
  const { page, faults } = visitor
  await page.goto(`${visitor.home}/`)
  await page.getByRole('button', { name: /^Sign in with/ }).waitFor()
  await page.keyboard.press('Tab')
  await page.keyboard.type(token)
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor()
  for (const [key, heading] of Object.entries(pagesByKey)) {
    await page.keyboard.press('g')
    await page.keyboard.press(key)
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
  await page.getByRole('complementary', { name: 'Job' }).waitFor()
  await page.keyboard.press('j')
  await page.keyboard.press('x')
  await page.keyboard.press('c')
  await page.getByRole('dialog', { name: 'Cancel 1 job?' }).waitFor()
  await page.keyboard.press('Enter')
  await page.getByText('Cancelled 1 job.').waitFor()
  await page.keyboard.press('z')
  await page.getByText('Requeued 1 job.').waitFor()
  await page.keyboard.press('?')
  await page.getByRole('dialog', { name: 'Keyboard' }).waitFor()
  await page.keyboard.press('Escape')
  await page.keyboard.press('t')
  await page.getByRole('button', { name: 'UTC' }).waitFor()
  expect(faults).toEqual([])
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
  a: 'Audit',
  y: 'Keys',
  h: 'System',
  o: 'Overview',
  j: 'Jobs',
}
