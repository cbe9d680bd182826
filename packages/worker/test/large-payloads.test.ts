import { expect, test } from '@jest/globals'
import { eventually } from '@queue/test-database'
import pg from 'pg'
import { testJob, useWorld } from './support/world.ts'

const world = useWorld()

/** Too large to be returned by a claim for all slots. */
const deadLetters = 200_000
const slots = 200

async function enqueueLarge(count: number): Promise<void> {
  const payload = (n: number) => ({
    n,
    text: Array.from({ length: deadLetters / 10 }, () => Math.random().toString(36).slice(2, 12)).join(''),
  })
  await world.database.queue.enqueueMany(Array.from({ length: count }, (_, n) => testJob.create(payload(n))))
}

/** A pool that refuses this number of reads of payloads, and counts them. */
function poolWithReads(refusals: number): { readonly pool: pg.Pool; reads(): number } {
  let reads = 0
  class Client extends pg.Client {
    // oxlint-disable-next-line typescript/no-explicit-any -- the overloads of pg's query are many, and we need one.
    override query(...args: any[]): any {
      const [config, ...others] = args as [unknown, ...unknown[]]
      const text =
        typeof config === 'object' && config !== null && 'text' in config ? String(config.text) : ''
      if (text.includes('j.payload::text AS payload FROM')) {
        reads += 1
        const refused = { ...(config as pg.QueryConfig), text: 'SELECT 1 / 0', values: [] }
        if (reads <= refusals) return super.query(...([refused, ...others] as unknown as [string]))
      }
      return super.query(...(args as [string]))
    }
  }
  const pool = new pg.Pool({ connectionString: world.database.urlAs('worker'), max: 4, Client })
  pool.on('error', () => undefined)
  return { pool, reads: () => reads }
}

test('payloads that are too large for a claim come to their handlers whole', async () => {
  const count = 20
  await enqueueLarge(count)
  const { pool, reads } = poolWithReads(0)
  const lengths: number[] = []
  const worker = await world.onPool(
    pool,
    (job) => {
      const { n, text } = job.payload as { n: number; text: string }
      if (text.length > deadLetters / 2) lengths.push(n)
    },
    { concurrency: slots },
  )
  await eventually(() => lengths.length === count)
  expect(lengths.toSorted((a, b) => a - b)).toEqual(Array.from({ length: count }, (_, n) => n))
  expect(reads()).toBeGreaterThanOrEqual(count / 4)
  await worker.stop()
  await pool.end()
})

test('a job whose payload cannot be read goes back uncharged, and runs later', async () => {
  await enqueueLarge(1)
  const { pool, reads } = poolWithReads(3)
  const attempts: number[] = []
  const worker = await world.onPool(
    pool,
    (_, ctx) => {
      attempts.push(ctx.attempt)
    },
    { concurrency: slots },
  )
  await eventually(() => attempts.length === 1)
  expect(attempts).toEqual([1])
  expect(reads()).toBeGreaterThan(3)
  await worker.stop()
  await pool.end()
})
