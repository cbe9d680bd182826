import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { createTestDatabase, type TestDatabase } from '@queue/testing'
import { type RunningProcess, startApi } from '../src/processes.ts'
import { runKills } from './kills/run-kills.ts'
import { seededRandom } from './kills/seeded-random.ts'

/** The fault suite runs this test at a larger scale and with its own seed. */
const scale = Number(process.env['QUEUE_TEST_SCALE'] ?? 1)
const seed = Number(process.env['QUEUE_TEST_SEED'] ?? Date.now() % 1_000_000)

let orders: TestDatabase
let queue: TestDatabase
let api: RunningProcess & { readonly url: string }

beforeAll(async () => {
  orders = await createTestDatabase()
  queue = await createTestDatabase()
  api = await startApi(queue.url)
})

afterAll(async () => {
  await api.kill('SIGKILL')
  await orders.close()
  await queue.close()
})

test(
  'whatever is rolled back and whenever a relay is killed, each committed order becomes one job, in order',
  async () => {
    console.info(`kills: seed ${seed}`)
    const report = await runKills({
      ordersUrl: orders.url,
      apiUrl: api.url,
      transactions: 600 * scale,
      kills: Math.round(4 * scale),
      random: seededRandom(seed),
      execArgv: ['--conditions=@queue/source'],
    })
    expect(report).toMatchObject({ lost: [], unexpected: [], doubled: [], disordered: [] })
    expect(report.jobs).toBe(report.committed)
    // A run in which no killed relay held a message would prove nothing.
    expect(report.heldAtKills).toBeGreaterThan(0)
    expect(report.repeated).toBeGreaterThan(0)
  },
  600_000 * scale,
)
