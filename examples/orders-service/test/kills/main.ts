/** `pnpm --filter @queue/example-orders-service kills`: 10 000 transactions, half rolled back, 20 kills. */
import { parseArgs } from 'node:util'
import { createTestDatabase } from '@queue/testing'
import { startApi } from '../../src/processes.ts'
import { runKills } from './run-kills.ts'
import { seededRandom } from './seeded-random.ts'

const { values } = parseArgs({
  options: {
    transactions: { type: 'string', default: '10000' },
    kills: { type: 'string', default: '20' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
  },
})

const orders = await createTestDatabase()
const queue = await createTestDatabase()
const api = await startApi(queue.url)
try {
  process.stdout.write(`seed ${values.seed}\n`)
  const report = await runKills({
    ordersUrl: orders.url,
    apiUrl: api.url,
    transactions: Number(values.transactions),
    kills: Number(values.kills),
    random: seededRandom(Number(values.seed)),
    execArgv: process.execArgv,
  })
  process.stdout.write(`${JSON.stringify(report, null, 2)}\n`)
  const faults = [report.lost, report.unexpected, report.doubled, report.disordered].flat()
  const isVoid = report.heldAtKills === 0 || report.repeated === 0
  const result = isVoid
    ? 'void: no killed relay held a message'
    : 'held: each committed order has one job, and those of a customer are in order'
  process.stdout.write(`${faults.length > 0 ? 'BROKEN' : result}\n`)
  process.exitCode = faults.length > 0 || isVoid ? 1 : 0
} finally {
  await api.kill('SIGKILL')
  await orders.close()
  await queue.close()
}
