import { expect, test } from '@jest/globals'
import {
  createMetricsRegistry,
  labelValuesMax,
  observeQueues,
  type QueueDepth,
  type QueueReading,
  renderMetrics,
} from '../src/index.ts'

const mail: QueueDepth = {
  name: 'mail',
  queued: 3,
  retrying: 2,
  running: 1,
  oldestReadySeconds: 1.5,
  workers: 2,
  pausedAt: null,
}

const readingOf = (...queues: readonly QueueDepth[]): QueueReading => ({ queues, oldestSnapshotSeconds: 0.5 })

/** The lines of what is read from the database. */
async function scrape(registry: ReturnType<typeof createMetricsRegistry>): Promise<string[]> {
  const { body } = await renderMetrics(registry)
  return body.split('\n').filter((line) => /^((queue|db)_(?!service)|# (queue|db)_.* could not)/.test(line))
}

test('a queue shows its live jobs by state and the age of its oldest ready one', async () => {
  const registry = createMetricsRegistry({ service: 'test' })
  const none = { queued: 0, retrying: 0, running: 0, oldestReadySeconds: null, workers: 0 }
  const idle: QueueDepth = { name: 'idle', ...none, pausedAt: new Date(0) }
  observeQueues(registry, { read: async () => readingOf(mail, idle) })
  expect(await scrape(registry)).toEqual([
    'db_up 1',
    'db_oldest_snapshot_seconds 0.5',
    'queue_jobs{queue="mail",status="queued"} 3',
    'queue_jobs{queue="mail",status="retrying"} 2',
    'queue_jobs{queue="mail",status="running"} 1',
    'queue_jobs{queue="idle",status="queued"} 0',
    'queue_jobs{queue="idle",status="retrying"} 0',
    'queue_jobs{queue="idle",status="running"} 0',
    'queue_oldest_ready_seconds{queue="mail"} 1.5',
    'queue_oldest_ready_seconds{queue="idle"} 0',
    'queue_active_workers{queue="mail"} 2',
    'queue_active_workers{queue="idle"} 0',
    'queue_paused{queue="mail"} 0',
    'queue_paused{queue="idle"} 1',
  ])
})

test('a queue that is gone is no longer shown', async () => {
  const registry = createMetricsRegistry({ service: 'test' })
  let queues = [mail]
  observeQueues(registry, { read: async () => readingOf(...queues), cacheMs: 0 })
  await scrape(registry)
  queues = []
  expect(await scrape(registry)).toEqual(['db_up 1', 'db_oldest_snapshot_seconds 0.5'])
})

test('scrapes share one reading, and none is begun while one is under way', async () => {
  const registry = createMetricsRegistry({ service: 'test' })
  let reads = 0
  const slow = Promise.withResolvers<QueueReading>()
  const read = () => {
    reads += 1
    return slow.promise
  }
  observeQueues(registry, { read, cacheMs: 0, waitMs: 10 })
  const missing = [
    'db_up 0',
    '# db_oldest_snapshot_seconds could not be collected',
    '# queue_jobs could not be collected',
    '# queue_oldest_ready_seconds could not be collected',
    '# queue_active_workers could not be collected',
    '# queue_paused could not be collected',
  ]
  expect(await Promise.all([scrape(registry), scrape(registry)])).toEqual([missing, missing])
  expect(await scrape(registry)).toEqual(missing)
  expect(reads).toBe(1)
  slow.resolve(readingOf(mail))
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
  observeQueues(registry, { read: async () => readingOf(...queues) })
  const lines = await scrape(registry)
  expect(lines.filter((line) => line.startsWith('queue_jobs'))).toHaveLength((labelValuesMax + 1) * 3)
  expect(lines).toContain('queue_jobs{queue="other",status="queued"} 30')
  for (const name of ['queue_oldest_ready_seconds', 'queue_active_workers', 'queue_paused']) {
    expect(lines.filter((line) => line.startsWith(name))).toHaveLength(labelValuesMax + 1)
  }
  expect(lines).toContain('queue_oldest_ready_seconds{queue="other"} 1.5')
})
