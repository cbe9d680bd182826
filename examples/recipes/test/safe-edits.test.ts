import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { afterAll, beforeEach, expect, test } from '@jest/globals'
import { assertInvariants, createTestDatabase, eventually } from '@queue/testing'
import { createWorker, handle } from '@queue/worker'
import { sendDigest } from '../src/unique-window.ts'

const database = await createTestDatabase()
const { pool, queue } = database
afterAll(() => database.close())
beforeEach(() => pool.query('TRUNCATE queue.jobs, queue.ended_jobs, queue.job_executions'))

const statementOf = (name: string) => readFile(path.join(import.meta.dirname, '../src/sql', name), 'utf8')

/** Runs the statement of a file. Resolves with the number of jobs that it has changed. */
async function runStatement(name: string): Promise<number> {
  const { rowCount } = await pool.query(await statementOf(name))
  await assertInvariants(database)
  return rowCount ?? 0
}

async function enqueueDigest(
  user: string,
  options: Parameters<typeof sendDigest.create>[1] = {},
): Promise<string> {
  const { job } = await queue.enqueue(sendDigest, { user }, options)
  return job.id
}

/** Starts a worker that adds the user of each job to `handled`. */
async function startWorker(handled: string[], gate?: Promise<void>) {
  const worker = createWorker({
    pool,
    handlers: [
      handle(sendDigest, async ({ payload }) => {
        handled.push(payload.user)
        await gate
      }),
    ],
  })
  await worker.start()
  return worker
}

test('scheduled jobs that are changed to run now are run by an idle worker', async () => {
  const handled: string[] = []
  const worker = await startWorker(handled)
  try {
    await enqueueDigest('now')
    await eventually(() => handled.length === 1)
    await enqueueDigest('later', { delayMs: 3_600_000 })
    expect(await runStatement('run-now.sql')).toBe(1)
    await eventually(() => handled.length === 2)
  } finally {
    await worker.stop()
  }
})

test('jobs with a lowered priority run after others, and none is missed', async () => {
  const handled: string[] = []
  await enqueueDigest('lowered')
  expect(await runStatement('lower-priority.sql')).toBe(1)
  await enqueueDigest('first')
  const worker = await startWorker(handled)
  try {
    await eventually(() => handled.length === 2)
    expect(handled).toEqual(['first', 'lowered'])
  } finally {
    await worker.stop()
  }
})

test('the handler gets the corrected payload, and other jobs are unchanged', async () => {
  const handled: string[] = []
  await enqueueDigest('ada')
  await enqueueDigest('bob')
  expect(await runStatement('correct-payload.sql')).toBe(1)
  const worker = await startWorker(handled)
  try {
    await eventually(() => handled.length === 2)
    expect(handled.toSorted()).toEqual(['ada.lovelace', 'bob'])
  } finally {
    await worker.stop()
  }
})

test('jobs that are running or have ended are not changed', async () => {
  const handled: string[] = []
  const gate = Promise.withResolvers<void>()
  const worker = await startWorker(handled, gate.promise)
  try {
    const running = await enqueueDigest('ada')
    const cancelled = await enqueueDigest('ada', { delayMs: 3_600_000 })
    await queue.cancel(cancelled)
    await eventually(() => handled.length === 1)
    const before = [await queue.get(running), await queue.get(cancelled)]
    for (const name of ['run-now.sql', 'lower-priority.sql', 'correct-payload.sql']) {
      expect(await runStatement(name)).toBe(0)
    }
    expect([await queue.get(running), await queue.get(cancelled)]).toEqual(before)
  } finally {
    gate.resolve()
    await worker.stop()
  }
})
