import { defineJob, type Queue } from '@queue/core'
import { handle } from '@queue/worker'
import type pg from 'pg'
import { z } from 'zod'

const page = defineJob({ kind: 'report_page', payload: z.object({ report: z.string(), page: z.int() }) })
export const assemble = defineJob({ kind: 'report_assemble', payload: z.object({ report: z.string() }) })

export const reportsTable = `CREATE TABLE reports (
  id text PRIMARY KEY,
  pages_left int NOT NULL CHECK (pages_left >= 0)
)`

/** Enqueues a job for each page. The report and its jobs commit together. */
export async function startReport(pool: pg.Pool, queue: Queue, report: { id: string; pages: number }) {
  const client = await pool.connect()
  try {
    await client.query('BEGIN')
    await client.query('INSERT INTO reports VALUES ($1, $2)', [report.id, report.pages])
    const pages = Array.from({ length: report.pages }, (_, n) => page.create({ report: report.id, page: n }))
    await queue.enqueueMany(pages, { transaction: client })
    await client.query('COMMIT')
  } catch (error) {
    await client.query('ROLLBACK')
    throw error
  } finally {
    client.release()
  }
}

/**
 * Each page decrements the counter in the transaction that ends its job, so that it counts once, however often it runs.
 * The last page enqueues the job that assembles the report.
 */
export function handlePage(queue: Queue, render: (report: string, page: number) => Promise<void>) {
  return handle(page, async ({ payload: { report, page: number } }, ctx) => {
    await render(report, number)
    await ctx.transaction(async (client) => {
      const { rows } = await client.query<{ pages_left: number }>(
        'UPDATE reports SET pages_left = pages_left - 1 WHERE id = $1 RETURNING pages_left',
        [report],
      )
      if (rows[0]?.pages_left === 0) await queue.enqueue(assemble, { report }, { transaction: client })
    })
  })
}
