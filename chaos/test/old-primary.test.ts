import { expect, test } from '@jest/globals'
import { createQueue, migrateUp } from '@queue/core'
import { createWorker, handle } from '@queue/worker'
import { eventually, recordLogger } from '@queue/testing'
import { createPairTemplate, query } from '../src/failover/server-pair.ts'
import { chaosJob } from '../src/fleet/chaos-job.ts'
import { startFaultProxy } from '../src/proxy/fault-proxy.ts'

const job = { key: 'old primary', plan: 'succeed', ms: 0 } as const
const leaseMs = 3_000

/** The jobs and the worker registrations of a server. */
async function contentOf(url: string): Promise<unknown> {
  const [row] = (
    await query(
      url,
      `SELECT (SELECT count(*) FROM queue.jobs) AS jobs, (SELECT count(*) FROM queue.workers) AS workers`,
    )
  ).rows
  return row
}

test('no process goes back to an old primary that came back unchanged, though the new one is silent', async () => {
  const template = await createPairTemplate(async (url) => void (await migrateUp({ connectionString: url })))
  const pair = await template.start('asynchronous')
  const [before, after] = await Promise.all(
    [pair.primaryUrl, pair.standbyUrl].map((databaseUrl) => startFaultProxy({ databaseUrl })),
  )
  if (before === undefined || after === undefined) throw new Error('there are two proxies')
  const url = new URL(before.url)
  const connectionString = before.url.replace(url.host, `${url.host},${new URL(after.url).host}`)
  const logger = recordLogger()
  const queue = createQueue({ connectionString, acquireTimeoutMs: 2_000, queryTimeoutMs: 500 })
  const worker = createWorker({
    connectionString,
    logger,
    leaseMs,
    heartbeatMs: 1_000,
    queryTimeoutMs: 500,
    handlers: [handle(chaosJob, async () => undefined)],
  })
  const succeeds = async (): Promise<boolean> => {
    const { job: added } = await queue.enqueue(chaosJob, job)
    return eventually(async () => (await queue.states([added.id]))[0]?.status === 'succeeded')
  }
  const losses = (): number => logger.lines.filter(({ message }) => message.startsWith('lease lost')).length
  const isRefused = (): boolean =>
    logger.lines.some(({ fields }) => JSON.stringify(describe(fields)).includes('is an old primary'))
  try {
    await worker.start()
    await succeeds()
    await pair.killPrimary()
    await pair.promote()
    await eventually(succeeds)
    await pair.revivePrimary()
    const old = await contentOf(pair.primaryUrl)

    after.setNetwork({ kind: 'blackhole' })
    const lossesBefore = losses()
    await eventually(() => losses() > lossesBefore && isRefused())
    await expect(queue.enqueue(chaosJob, job)).rejects.toMatchObject({ code: 'database_unavailable' })

    after.setNetwork({ kind: 'clear' })
    await eventually(succeeds)
    const settled = losses()
    await eventually(succeeds)
    expect(losses()).toBe(settled)
    expect(await contentOf(pair.primaryUrl)).toEqual(old)
  } finally {
    await worker.stop()
    await queue.close()
    await Promise.all([before.close(), after.close()])
    await pair.close()
    await template.close()
  }
})

/** The messages of errors in a log line, which JSON leaves out. */
function describe(value: unknown): unknown {
  if (value instanceof Error) return [value.message, describe(value.cause)]
  if (typeof value !== 'object' || value === null) return value
  return Object.values(value).map(describe)
}
