import { expect, test } from '@jest/globals'
import {
  createMetricsRegistry,
  labelValuesMax,
  observeQueues,
  type QueueDepth,
  renderMetrics,
} from '../src/index.ts'

const mail: QueueDepth = { name: 'mail', queued: 3, retrying: 2, running: 1, oldestReadySeconds: 1.5 }

/** The lines of the two metrics. */
async function scrape(registry: ReturnType<typeof createMetricsRegistry>): Promise<string[]> {
  const { body } = await renderMetrics(registry)
  return body.split('\n').filter((line) => /^(queue_jobs|queue_oldest|# queue_.* could not)/.test(line))
}

test('a queue shows its live jobs by state and the age of its oldest ready one', async () => {
  const registry = createMetricsRegistry({ service: 'test' })
  const idle: QueueDepth = { name: 'idle', queued: 0, retrying: 0, running: 0, oldestReadySeconds: null }
  observeQueues(registry, { read: async () => [mail, idle] })
  expect(await scrape(registry)).toEqual([
    'queue_jobs{queue="mail",status="queued"} 3',
    'queue_jobs{queue="mail",status="retrying"} 2',
    'queue_jobs{queue="mail",status="running"} 1',
    'queue_jobs{queue="idle",status="queued"} 0',
    'queue_jobs{queue="idle",status="retrying"} 0',
    'queue_jobs{queue="idle",status="running"} 0',
    'queue_oldest_ready_seconds{queue="mail"} 1.5',
    'queue_oldest_ready_seconds{queue="idle"} 0',
  ])
})

test('a queue that is gone is no longer shown', async () => {
  const registry = createMetricsRegistry({ service: 'test' })
  const readings = [[mail], []]
  observeQueues(registry, { read: async () => readings.shift() ?? [], cacheMs: 0 })
  // With nothing cached, each of the two metrics takes a reading of its own.
  await scrape(registry)
  expect(await scrape(registry)).toEqual([])
})

test('scrapes share one reading, and none is begun while one is under way', async () => {
  const registry = createMetricsRegistry({ service: 'test' })
  let reads = 0
  const slow = Promise.withResolvers<readonly QueueDepth[]>()
  const read = () => {
    reads += 1
    return slow.promise
  }
  observeQueues(registry, { read, cacheMs: 0, waitMs: 10 })
  const missing = [
    '# queue_jobs could not be collected',
    '# queue_oldest_ready_seconds could not be collected',
  ]
  expect(await Promise.all([scrape(registry), scrape(registry)])).toEqual([missing, missing])
  expect(await scrape(registry)).toEqual(missing)
  expect(reads).toBe(1)
  slow.resolve([mail])
})

test('a reading serves every scrape for as long as it is fresh, a failed one too', async () => {
  let reads = 0
  const read = async () => {
    reads += 1
    throw new Error('the database is down')
  }
  const registry = createMetricsRegistry({ service: 'test' })
  observeQueues(registry, { read, cacheMs: 60_000 })
  for (let count = 0; count < 3; count += 1) {
    expect(await scrape(registry)).toContain('# queue_jobs could not be collected')
  }
  expect(reads).toBe(1)
})

test('names past the bound share one label, whatever clients make up', async () => {
  const registry = createMetricsRegistry({ service: 'test' })
  const queues = Array.from({ length: labelValuesMax + 10 }, (_, index) => ({ ...mail, name: `q${index}` }))
  observeQueues(registry, { read: async () => queues })
  const lines = await scrape(registry)
  expect(lines.filter((line) => line.startsWith('queue_jobs'))).toHaveLength((labelValuesMax + 1) * 3)
  expect(lines).toContain('queue_jobs{queue="other",status="queued"} 30')
  expect(lines).toContain('queue_oldest_ready_seconds{queue="other"} 1.5')
})
