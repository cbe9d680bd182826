import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import type { Browser, Page } from 'playwright-core'
import { launchBrowser } from '../support/browser.ts'
import { type DatabaseApi, startDatabaseApi } from '../support/start-api.ts'

const token = 'a token of the browser'

let browser: Browser

beforeAll(async () => {
  browser = await launchBrowser()
})

afterAll(() => browser.close())

/** The documentation in a tab of its own, and what went wrong in it. */
interface OpenDocs {
  readonly page: Page
  /** Requests to anywhere but the API, violations of the page's policy, and errors of its scripts. */
  readonly faults: string[]
}

async function openDocs(base: string): Promise<OpenDocs> {
  const page = await (await browser.newContext()).newPage()
  const faults: string[] = []
  // A guard against hanging: a busy machine takes long to draw the page.
  page.setDefaultTimeout(90_000)
  page.on('request', (request) => {
    const url = request.url()
    if (!url.startsWith(`${base}/`) && !url.startsWith('data:')) faults.push(`request to ${url}`)
  })
  page.on('console', (message) => {
    if (message.type() === 'error') faults.push(`console: ${message.text()}`)
  })
  page.on('pageerror', (error) => faults.push(`error: ${error.message}`))
  await page.goto(`${base}/docs`)
  return { page, faults }
}

/** Executes an operation with the values that the page suggests, but for `parameters`; gives status and body. */
async function tryOut(
  page: Page,
  operation: string,
  parameters: Readonly<Record<string, string>> = {},
): Promise<{ readonly status: string; readonly body: Record<string, unknown> }> {
  const block = page.locator(`#operations-${operation}`)
  if (!(await block.locator('.try-out__btn').isVisible()))
    await block.locator('.opblock-summary-control').click()
  if (!(await block.locator('.execute').isVisible())) await block.locator('.try-out__btn').click()
  for (const [name, value] of Object.entries(parameters)) {
    await block.locator(`tr[data-param-name="${name}"] input`).fill(value)
  }
  const answered = page.waitForResponse((response) => new URL(response.url()).pathname.startsWith('/jobs'))
  await block.locator('.execute').click()
  const body = (await (await answered).json()) as Record<string, unknown>
  const shown = block.locator('.live-responses-table .response .response-col_status').first()
  await shown.waitFor()
  return { status: (await shown.innerText()).trim().split(/\s/)[0] ?? '', body }
}

describe('the documentation in a browser', () => {
  let api: DatabaseApi

  afterAll(() => api.close())

  test('enqueues a job and reads it, within its policy and without a request to anywhere else', async () => {
    api = await startDatabaseApi()
    const { page, faults } = await openDocs(api.base)
    const created = await tryOut(page, 'Jobs-createJob')
    expect(created.status).toBe('201')
    const id = String(created.body['id'])
    expect(await tryOut(page, 'Jobs-getJob', { id })).toMatchObject({ status: '200', body: { id } })
    expect(await api.database.queue.get(id)).toMatchObject({ status: 'queued', kind: 'send_email' })
    expect(faults).toEqual([])
    // What the page must not do would have been noticed.
    await page.evaluate(() => fetch('https://example.com/').catch(() => undefined))
    expect(faults.join('\n')).toMatch(/Content Security Policy/)
  })

  test('sends the token that is given through Authorize', async () => {
    await api.close()
    api = await startDatabaseApi({ token })
    const { page, faults } = await openDocs(api.base)
    expect(await tryOut(page, 'Jobs-createJob')).toMatchObject({ status: '401' })
    // The browser tells of every 401; this one was asked for.
    expect(faults.splice(0)).toEqual([expect.stringContaining('401')])
    await page.locator('.scheme-container .authorize').click()
    await page.locator('.dialog-ux input').fill(token)
    await page.locator('.dialog-ux button.authorize').click()
    await page.locator('.dialog-ux button.btn-done').click()
    const created = await tryOut(page, 'Jobs-createJob')
    expect(created).toMatchObject({ status: '201', body: { kind: 'send_email' } })
    const id = String(created.body['id'])
    expect(await tryOut(page, 'Jobs-getJob', { id })).toMatchObject({ status: '200', body: { id } })
    // Whoever tries it out twice means two jobs.
    const another = await tryOut(page, 'Jobs-createJob')
    expect(another).toMatchObject({ status: '201', body: { id: expect.not.stringMatching(id) } })
    const kept = await page.evaluate('JSON.stringify([{ ...localStorage }, { ...sessionStorage }])')
    expect(kept).not.toContain(token)
    expect(faults).toEqual([])
  })
})
