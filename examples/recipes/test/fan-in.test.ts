import { afterAll, expect, test } from '@jest/globals'
import { createTestDatabase, eventually } from '@queue/testing'
import { createWorker, handle } from '@queue/worker'
import { assemble, handlePage, reportsTable, startReport } from '../src/fan-in.ts'

const database = await createTestDatabase()
const { pool, queue } = database
await pool.query(reportsTable)
afterAll(() => database.close())

test('the report is assembled once, after the last page has ended, although pages fail and are retried', async () => {
  const rendered: string[] = []
  const assembled: string[] = []
  const failsOnce = new Set(['r1 3', 'r1 7', 'r2 0'])
  const worker = createWorker({
    pool,
    concurrency: 10,
    handlers: [
      handlePage(queue, async (report, page) => {
        const name = `${report} ${page}`
        if (failsOnce.delete(name)) throw new Error(`${name} fails once`)
        rendered.push(name)
      }),
      handle(assemble, ({ payload: { report } }) => {
        const pages = rendered.filter((name) => name.startsWith(`${report} `))
        assembled.push(`${report}: ${pages.length} pages`)
      }),
    ],
  })
  await worker.start()
  try {
    await startReport(pool, queue, { id: 'r1', pages: 20 })
    await startReport(pool, queue, { id: 'r2', pages: 1 })
    await eventually(() => assembled.length >= 2)
  } finally {
    await worker.stop()
  }
  expect(assembled.toSorted()).toEqual(['r1: 20 pages', 'r2: 1 pages'])
  const { rows } = await pool.query(`SELECT FROM queue.all_jobs WHERE status <> 'succeeded'`)
  expect(rows).toEqual([])
})
