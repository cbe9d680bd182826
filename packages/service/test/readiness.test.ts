import { describe, expect, test } from '@jest/globals'
import { QueueError } from '@queue/core'
import { createReadiness } from '../src/index.ts'
import { createFakeDatabase } from './fake-database.ts'

/** A schema of a later release on which this one can run. */
const later = { version: 2, name: 'later', minCode: 1, checksum: 'of another text' }
const applied = async (): Promise<unknown[]> => [{ ...later, writable: true }]
const readOnly = async (): Promise<unknown[]> => [{ ...later, writable: false }]

describe('readiness', () => {
  test('holds if the database answers and its schema is compatible', async () => {
    await expect(createReadiness({ database: createFakeDatabase(applied) })()).resolves.toEqual({
      status: 'ready',
      checks: { process: 'running', database: 'up', schema: 'compatible', writes: 'accepted' },
    })
  })

  test.each([
    ['missing', []],
    ['newer', [{ version: 1_000, min_code: 1_000 }]],
  ])('does not hold if the schema is %s', async (schema, rows) => {
    const report = await createReadiness({ database: createFakeDatabase(async () => rows) })()
    expect(report).toMatchObject({ status: 'not_ready', checks: { database: 'up', schema } })
  })

  test('on a server that refuses writes holds only for processes that only read', async () => {
    const checks = { process: 'running', database: 'up', schema: 'compatible', writes: 'refused' }
    const database = createFakeDatabase(readOnly)
    await expect(createReadiness({ database })()).resolves.toEqual({ status: 'ready', checks })
    await expect(createReadiness({ database, demands: 'writes' })()).resolves.toEqual({
      status: 'not_ready',
      checks,
    })
    const written = createReadiness({ database: createFakeDatabase(applied), demands: 'writes' })
    await expect(written()).resolves.toMatchObject({ status: 'ready', checks: { writes: 'accepted' } })
  })

  test('does not hold while the database is unavailable, and holds again afterwards', async () => {
    let reachable = false
    const database = createFakeDatabase(async () => {
      if (!reachable) throw new QueueError('database_unavailable', 'down')
      return applied()
    })
    const readiness = createReadiness({ database })
    expect(await readiness()).toMatchObject({
      status: 'not_ready',
      checks: { database: 'down', schema: 'unknown', writes: 'unknown' },
    })
    reachable = true
    const deadline = performance.now() + 60_000
    let report = await readiness()
    while (report.status !== 'ready' && performance.now() < deadline) {
      await new Promise((resolve) => setTimeout(resolve, 20))
      report = await readiness()
    }
    expect(report.status).toBe('ready')
  })

  test('does not wait for a database that does not answer, and sends it one query at a time', async () => {
    let questions = 0
    const database = createFakeDatabase(() => {
      questions += 1
      return new Promise(() => undefined)
    })
    const readiness = createReadiness({ database, timeoutMs: 20 })
    const reports = await Promise.all([readiness(), readiness(), readiness()])
    expect([...reports, await readiness()].map((report) => report.checks.database)).toEqual(
      Array(4).fill('down'),
    )
    expect(questions).toBe(1)
  })

  test('ends when the process begins to stop', async () => {
    const stop = new AbortController()
    const readiness = createReadiness({ database: createFakeDatabase(applied), signal: stop.signal })
    expect((await readiness()).status).toBe('ready')
    stop.abort()
    expect(await readiness()).toMatchObject({
      status: 'not_ready',
      checks: { process: 'stopping', database: 'up' },
    })
  })
})
