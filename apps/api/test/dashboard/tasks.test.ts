import { readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import process from 'node:process'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import type { Queue } from '@queue/core'
import { insertJob } from '@queue/testing'
import type { Locator, Page } from 'playwright-core'
import {
  browseDashboard,
  type BrowsedDashboard,
  holds,
  open,
  signIn,
  type Visit,
} from '../support/dashboard-browser.ts'
import { mail, token } from '../support/dashboard-server.ts'
import { type Hand, handAt } from '../support/hand.ts'

/** A typical task of an operator, and the path to it from the overview. */
interface Task {
  readonly name: string
  readonly stepsMax: number
  /** Adds the data of the task to the queue. */
  readonly prepare?: () => Promise<void>
  /** Carries out the steps until the page shows that the task is done. */
  readonly walk: (hand: Hand, page: Page) => Promise<void>
}

const taskMsMax = 60_000
const document = path.join(import.meta.dirname, '..', '..', '..', '..', 'docs', 'dashboard', 'tasks.md')
/** Whether to write the measured times into the document. */
const isWritten = process.env['DASHBOARD_TASKS'] !== undefined

let dashboard: BrowsedDashboard
let queue: Queue
let visitor: Visit

beforeAll(async () => {
  dashboard = await browseDashboard()
  queue = dashboard.queue
  // Before the first visit, because pages can show data that is some seconds old.
  for (const task of tasks) await task.prepare?.()
  visitor = await dashboard.visit()
  await signIn(visitor, token, '/')
})

afterAll(() => dashboard.close())

const rail = (page: Page, name: string): Locator =>
  page.getByRole('navigation', { name: 'Pages', exact: true }).getByRole('link', { name, exact: true })

const sheetButton = (page: Page, name: RegExp): Locator =>
  page.getByRole('dialog').getByRole('button', { name })

const tasks: readonly Task[] = [
  {
    name: 'Why does this job wait?',
    stepsMax: 3,
    walk: async (hand, page) => {
      await hand.press('/')
      await hand.paste('its id', dashboard.world.waitingId)
      await hand.press('Enter')
      const reasons = page.getByRole('region', { name: 'Status' }).getByRole('list', { name: 'Reasons' })
      await holds(async () => expect(await reasons.getByText(/^Fix:/).count()).toBe(2))
    },
  },
  {
    name: 'Requeue the jobs that version 1.4.2 broke',
    stepsMax: 5,
    walk: async (hand, page) => {
      await hand.click('Errors', rail(page, 'Errors'))
      await hand.click('New in 1.4.2', page.getByRole('link', { name: /^New in 1\.4\.2/ }))
      await holds(async () => expect(await page.locator('tbody tr').count()).toBe(1))
      await hand.click('the error', page.locator('tbody').getByRole('link').first())
      const requeue = page.getByRole('button', { name: 'Requeue dead letters' })
      await hand.click('Requeue dead letters', requeue)
      await hand.click('Requeue 2 dead letters', sheetButton(page, /^Requeue 2 dead letters$/))
      await page.getByText('Requeued 2 jobs.').waitFor()
      expect(await queue.deadLetters.count({ kind: 'resize_image' })).toBe(0)
      await page.getByText('No dead letters: the jobs succeeded').waitFor()
    },
  },
  {
    name: 'Stop the noisy customer',
    stepsMax: 3,
    prepare: async () => {
      const job = { kind: 'send_email', queue: 'images', payload: mail, runAt: { msFromNow: -60_000 } }
      for (const key of ['quiet', 'noisy', 'noisy', 'noisy'])
        await insertJob(dashboard.database, { ...job, key })
    },
    walk: async (hand, page) => {
      await hand.click('the queue', page.getByRole('link', { name: 'images', exact: true }).first())
      const parts = page.getByRole('navigation', { name: 'Queue tabs' })
      await hand.click('Keys', parts.getByRole('link', { name: 'Keys' }))
      const first = page.getByRole('region', { name: 'Keys by waiting jobs' }).locator('tbody tr').first()
      await first.getByText('noisy', { exact: true }).waitFor()
      await hand.click('Pause beside its key', first.getByRole('button', { name: 'Pause' }))
      await first.getByText('Paused').waitFor()
      const limit = { queue: 'images', scope: 'key', name: 'noisy' } as const
      await holds(async () =>
        expect(await queue.limits.get(limit)).toMatchObject({ pausedAt: expect.any(Date) }),
      )
    },
  },
  {
    name: 'Find the jobs of order 4711',
    stepsMax: 3,
    walk: async (hand, page) => {
      await hand.press('/')
      await hand.type('4711')
      const first = page.getByRole('option', { name: 'metadata.order_id: 4711', selected: true })
      await first.waitFor()
      await hand.press('Enter')
      await holds(async () => expect(await page.locator('tbody tr').count()).toBe(2))
    },
  },
  {
    name: "What did last night's schedule do?",
    stepsMax: 3,
    prepare: async () => {
      for (const [nightsAgo, status] of [
        [2, 'succeeded'],
        [1, 'failed_permanent'],
      ] as const) {
        const createdAt = new Date(new Date().setUTCHours(1, 0, 0, 0) - nightsAgo * 86_400_000)
        await insertJob(dashboard.database, {
          kind: 'send_email',
          queue: 'mail',
          payload: mail,
          status,
          createdAt,
          idempotencyKey: `schedule:nightly-report@${createdAt.toISOString()}`,
          ...(status === 'failed_permanent' && { lastError: 'SmtpError: 552 the mailbox is full' }),
        })
      }
    },
    walk: async (hand, page) => {
      await hand.click('Schedules', rail(page, 'Schedules'))
      await hand.click('its name', page.getByRole('link', { name: 'nightly-report', exact: true }))
      await hand.click('the newest of its last runs', page.getByRole('link', { name: /^Failed, / }).first())
      await page
        .getByRole('region', { name: 'Status' })
        .getByText(/the mailbox is full/)
        .first()
        .waitFor()
    },
  },
  {
    name: "Cancel acme's waiting reports",
    stepsMax: 5,
    prepare: async () => {
      const job = { kind: 'send_email', payload: mail, tenantId: 'acme' }
      for (const name of ['reports', 'reports', 'mail']) {
        await insertJob(dashboard.database, { ...job, queue: name })
      }
    },
    walk: async (hand, page) => {
      await hand.press('/')
      await hand.type('acme reports queued')
      const first = page.getByRole('option', { name: 'tenant: acme queue: reports status: queued' })
      await first.waitFor()
      await hand.press('Enter')
      await holds(async () => expect(await page.locator('tbody tr').count()).toBe(2))
      await hand.press('a')
      await hand.click('Cancel 2 jobs', sheetButton(page, /^Cancel 2 jobs$/))
      await page.getByText('Cancelled 2 jobs.').waitFor()
      const waiting = { status: 'queued', tenantId: 'acme' } as const
      expect((await queue.list(waiting)).jobs.map((job) => job.queue)).toEqual(['mail'])
    },
  },
  {
    name: 'An alert says that a backlog is old',
    stepsMax: 1,
    walk: async (hand, page) => {
      const needs = page.getByRole('region', { name: 'Needs attention' })
      const behind = needs.getByRole('listitem').filter({ hasText: 'falling behind' })
      await hand.click('the queue that falls behind', behind.getByRole('link', { name: 'images' }))
      await page.getByRole('heading', { level: 1, name: 'images' }).waitFor()
      await needs.getByText('Fix: add slots for this queue, or make its handlers faster').waitFor()
    },
  },
]

interface Walked {
  readonly task: Task
  readonly steps: readonly string[]
  readonly pagesMs: number
  readonly personMs: number
}

const walked: Walked[] = []

describe('a task', () => {
  test.each(tasks)('$name', async (task) => {
    const { page, faults } = visitor
    await open(visitor, '/', 'Overview')
    const hand = handAt(page)
    const beganAtMs = performance.now()
    await task.walk(hand, page)
    const pagesMs = performance.now() - beganAtMs
    const personMs = hand.personMs()
    walked.push({ task, steps: hand.steps, pagesMs, personMs })
    expect(hand.steps.length).toBeLessThanOrEqual(task.stepsMax)
    expect(pagesMs + personMs).toBeLessThanOrEqual(taskMsMax)
    expect(faults).toEqual([])
  })
})

test('docs/dashboard/tasks.md has these paths', async () => {
  const text = await readFile(document, 'utf8')
  const [table = ''] = /^\| Task [^]*?(?=\n\n)/m.exec(text) ?? []
  const rows = walked.map(
    ({ task: { name }, steps }) => `| ${name} | ${steps.join(' → ')} | ${steps.length} |`,
  )
  if (isWritten) {
    const measured = [heading, ...rows.map(withTimes)].join('\n')
    return writeFile(
      document,
      text.replace(table, () => measured),
    )
  }
  const [, , ...documented] = table.split('\n')
  expect(documented.map((row) => row.replace(times, '|'))).toEqual(rows)
})

const heading = '| Task | Path | Steps | Pages (s) | Person (s) |\n| --- | --- | --- | --- | --- |'
const times = /\|[^|]*\|[^|]*\|$/

function withTimes(row: string, index: number): string {
  const { pagesMs = 0, personMs = 0 } = walked[index] ?? {}
  return `${row} ${(pagesMs / 1_000).toFixed(1)} | ${(personMs / 1_000).toFixed(1)} |`
}
