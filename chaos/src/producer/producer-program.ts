/**
 * A service with tables of its own. Its configuration is JSON on the command line. It places orders and enqueues a job for
 * each in the same transaction. It commits some transactions and rolls back the others, until it is done or killed.
 */
import { createQueue } from '@queue/core'
import pg from 'pg'
import { chaosJob } from '../fleet/chaos-job.ts'
import { createRandom } from '../nemesis/random.ts'
import { type ProducerConfig, producerName } from './producer-config.ts'

const { url, schema, prefix, seed, transactions } = JSON.parse(process.argv[2] ?? '') as ProducerConfig
const random = createRandom(seed)
const client = new pg.Client({ connectionString: url, application_name: producerName })
const queue = createQueue({ connectionString: url, schema })
// Ends with the process that has started it.
process.once('disconnect', () => process.exit(1))
await client.connect()

for (let n = 0; n < transactions; n += 1) {
  const key = `${prefix} ${n}`
  await client.query('BEGIN')
  const request = chaosJob.create(
    { key, plan: 'succeed', ms: 0 },
    random.chance(0.2) ? { idempotencyKey: key } : {},
  )
  const [enqueued] = await queue.enqueueMany([request], { transaction: client, notify: random.chance(0.5) })
  await client.query('INSERT INTO chaos.orders (key, job_id) VALUES ($1, $2)', [key, enqueued?.job.id])
  await client.query(random.chance(0.5) ? 'COMMIT' : 'ROLLBACK')
}
await queue.close()
await client.end()
process.exit(0)
