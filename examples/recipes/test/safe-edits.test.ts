import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { afterAll, beforeEach, expect, test } from '@jest/globals'
import { assertInvariants, createTestDatabase, eventually } from '@queue/testing'
import { createWorker, handle } from '@queue/worker'
import { sendDigest } from '../src/unique-window.ts'

const database = await createTestDatabase()
const { pool, queue } = database
afterAll(() => database.close())
beforeEach(() => pool.query('TRUNCATE queue.jobs, queue.job_executions'))

const statementOf = (name: string) => readFile(path.join(import.meta.dirname, '../src/sql', name), 'utf8')

/** How many jobs the statement has changed. */
async function edit(name: string): Promise<number> {
  const { rowCount } = await pool.query(await statementOf(name))
  await assertInvariants(database)
  return rowCount ?? 0
}

async function enqueued(
  user: string,
  options: Parameters<typeof sendDigest.create>[1] = {},
): Promise<string> {
  const { job } = await queue.enqueue(sendDigest, { user }, options)
  return job.id
}

/** A worker that is idle, and has looked at everything there was. */
async function work(done: string[], gate?: Promise<void>) {
  const worker = createWorker({
    pool,
    handlers: [
      handle(sendDigest, async ({ payload }) => {
        done.push(payload.user)
        await gate
      }),
    ],
  })
  await worker.start()
  return worker
}

test('jobs for later that are to run now are run by a worker that has long been idle', async () => {
  const done: string[] = []
  const worker = await work(done)
  try {
    await enqueued('now')
    await eventually(() => done.length === 1)
    await enqueued('later', { delayMs: 3_600_000 })
    expect(await edit('run-now.sql')).toBe(1)
    await eventually(() => done.length === 2)
  } finally {
    await worker.stop()
  }
})

test('jobs of lower priority come behind those of others, and none is missed', async () => {
  const done: string[] = []
  await enqueued('lowered')
  expect(await edit('lower-priority.sql')).toBe(1)
  await enqueued('first')
  const worker = await work(done)
  try {
    await eventually(() => done.length === 2)
    expect(done).toEqual(['first', 'lowered'])
  } finally {
    await worker.stop()
  }
})

test('a payload that is corrected is what the handler gets, and other jobs are as they were', async () => {
  const done: string[] = []
  await enqueued('ada')
  await enqueued('bob')
  expect(await edit('correct-payload.sql')).toBe(1)
  const worker = await work(done)
  try {
    await eventually(() => done.length === 2)
    expect(done.toSorted()).toEqual(['ada.lovelace', 'bob'])
  } finally {
    await worker.stop()
  }
})

test('what runs or has ended is left alone', async () => {
  const done: string[] = []
  const gate = Promise.withResolvers<void>()
  const worker = await work(done, gate.promise)
  try {
    const running = await enqueued('ada')
    const cancelled = await enqueued('ada', { delayMs: 3_600_000 })
    await queue.cancel(cancelled)
    await eventually(() => done.length === 1)
    const before = [await queue.get(running), await queue.get(cancelled)]
    for (const name of ['run-now.sql', 'lower-priority.sql', 'correct-payload.sql']) {
      expect(await edit(name)).toBe(0)
    }
    expect([await queue.get(running), await queue.get(cancelled)]).toEqual(before)
  } finally {
    gate.resolve()
    await worker.stop()
  }
})
