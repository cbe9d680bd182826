import { expect, test } from '@jest/globals'
import { observeLimits } from '../src/limit-metrics.ts'
import {
  createMetricsRegistry,
  createRefusalMetrics,
  labelValuesMax,
  observeQueues,
  type QueueDepth,
  type QueueReading,
  renderMetrics,
} from '../src/index.ts'

const mail: QueueDepth = {
  name: 'mail',
  registered: true,
  queued: 3,
  retrying: 2,
  running: 1,
  oldestReadySeconds: 1.5,
  workers: 2,
  pausedAt: null,
}

const readingOf = (...queues: readonly QueueDepth[]): QueueReading => ({
  queues,
  deadLetters: [],
  tables: [],
  oldestSnapshotSeconds: 0.5,
  writable: true,
  scheduleDueMs: null,
  unserved: [],
  limits: [],
})

/** The lines of every reading in which no schedule is late. */
const noneLate = 'queue_schedule_overdue_seconds 0'

/** The lines of metrics that are read from the database. */
async function scrape(registry: ReturnType<typeof createMetricsRegistry>): Promise<string[]> {
  const { body } = await renderMetrics(registry)
  return body.split('\n').filter((line) => /^((queue|db)_(?!service)|# (queue|db)_.* could not)/.test(line))
}

test('a queue has its live jobs by status and the age of its oldest ready job', async () => {
  const registry = createMetricsRegistry({ service: 'test' })
  const none = { registered: true, queued: 0, retrying: 0, running: 0, oldestReadySeconds: null, workers: 0 }
  const idle: QueueDepth = { name: 'idle', ...none, pausedAt: new Date(0) }
  observeQueues(registry, { read: async () => readingOf(mail, idle) })
  expect(await scrape(registry)).toEqual([
    'db_up 1',
    'db_writable 1',
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
    'queue_schedule_overdue_seconds 0',
  ])
})

test('a read-only server is up but not writable', async () => {
  const registry = createMetricsRegistry({ service: 'test' })
  observeQueues(registry, { read: async () => ({ ...readingOf(), writable: false }) })
  expect((await scrape(registry)).slice(0, 2)).toEqual(['db_up 1', 'db_writable 0'])
})

test('a snapshot that is not visible has no sample, until it is visible again', async () => {
  const registry = createMetricsRegistry({ service: 'test' })
  let oldestSnapshotSeconds: number | null = null
  observeQueues(registry, { read: async () => ({ ...readingOf(), oldestSnapshotSeconds }), cacheMs: 0 })
  expect(await scrape(registry)).toEqual(['db_up 1', 'db_writable 1', noneLate])
  oldestSnapshotSeconds = 3
  expect(await scrape(registry)).toContain('db_oldest_snapshot_seconds 3')
  oldestSnapshotSeconds = null
  expect(await scrape(registry)).toEqual(['db_up 1', 'db_writable 1', noneLate])
})

test('dead letters are reported by kind as long as they exist', async () => {
  const registry = createMetricsRegistry({ service: 'test' })
  let deadLetters = [
    { kind: 'mail', deadLetters: 7, recent: 2, oldestSeconds: 90 },
    { kind: 'new', deadLetters: 1, recent: 0, oldestSeconds: null },
  ]
  observeQueues(registry, { read: async () => ({ ...readingOf(), deadLetters }), cacheMs: 0 })
  const shown = async () => (await scrape(registry)).filter((line) => line.startsWith('queue_dead'))
  expect(await shown()).toEqual([
    'queue_dead_letters{kind="mail"} 7',
    'queue_dead_letters{kind="new"} 1',
    'queue_dead_letters_recent{kind="mail"} 2',
    'queue_dead_letters_recent{kind="new"} 0',
    'queue_dead_letters_oldest_seconds{kind="mail"} 90',
  ])
  deadLetters = []
  expect(await shown()).toEqual([])
})

test('a table has its size and its dead rows', async () => {
  const registry = createMetricsRegistry({ service: 'test' })
  const tables = [{ table: 'jobs', bytes: 8_192, deadRows: 5 }]
  observeQueues(registry, { read: async () => ({ ...readingOf(), tables }) })
  expect((await scrape(registry)).filter((line) => line.startsWith('db_table'))).toEqual([
    'db_table_bytes{table="jobs"} 8192',
    'db_table_dead_rows{table="jobs"} 5',
  ])
})

test('a removed queue is no longer reported', async () => {
  const registry = createMetricsRegistry({ service: 'test' })
  let queues = [mail]
  observeQueues(registry, { read: async () => readingOf(...queues), cacheMs: 0 })
  await scrape(registry)
  queues = []
  expect(await scrape(registry)).toEqual([
    'db_up 1',
    'db_writable 1',
    'db_oldest_snapshot_seconds 0.5',
    noneLate,
  ])
})

test('scrapes share one reading, and no other reading starts meanwhile', async () => {
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
    'db_writable 0',
    '# db_oldest_snapshot_seconds could not be collected',
    '# queue_jobs could not be collected',
    '# queue_oldest_ready_seconds could not be collected',
    '# queue_active_workers could not be collected',
    '# queue_paused could not be collected',
    '# queue_dead_letters could not be collected',
    '# queue_dead_letters_recent could not be collected',
    '# queue_dead_letters_oldest_seconds could not be collected',
    '# db_table_bytes could not be collected',
    '# db_table_dead_rows could not be collected',
    '# queue_schedule_overdue_seconds could not be collected',
    '# queue_unserved_seconds could not be collected',
    '# queue_limit_running could not be collected',
    '# queue_limit_running_most could not be collected',
    '# queue_limit_waiting could not be collected',
    '# queue_limit_held_seconds_total could not be collected',
  ]
  expect(await Promise.all([scrape(registry), scrape(registry)])).toEqual([missing, missing])
  expect(await scrape(registry)).toEqual(missing)
  expect(reads).toBe(1)
  slow.resolve(readingOf(mail))
})

test('a reading, even a failed one, is used by every scrape while it is fresh', async () => {
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

test('names beyond the maximum share one label, whatever names clients send', async () => {
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

test('the label of a queue that a worker serves or has served cannot be taken by names that requests bring', async () => {
  const registry = createMetricsRegistry({ service: 'test' })
  const idle = { ...mail, name: 'idle', queued: 0, workers: 0 }
  const strangers = Array.from({ length: 20_000 }, (_, index) => ({
    ...mail,
    name: `a${index}`,
    registered: false,
    workers: 0,
    queued: 1_000,
  }))
  let queues: readonly QueueDepth[] = strangers
  observeQueues(registry, { read: async () => readingOf(...queues), cacheMs: 0 })
  // The first names have used up the maximum.
  await scrape(registry)
  queues = [...strangers, idle, mail]
  const lines = await scrape(registry)
  expect(lines).toContain('queue_jobs{queue="mail",status="queued"} 3')
  expect(lines).toContain('queue_active_workers{queue="mail"} 2')
  expect(lines).toContain('queue_jobs{queue="idle",status="queued"} 0')
  expect(lines).toContain(
    `queue_jobs{queue="other",status="queued"} ${1_000 * (20_000 - labelValuesMax + 2)}`,
  )
  expect(lines.filter((line) => line.startsWith('queue_paused'))).toHaveLength(labelValuesMax + 1)
})

test('of the names that no worker has served, those with the most live jobs have a label', async () => {
  const registry = createMetricsRegistry({ service: 'test' })
  const stranger = { ...mail, registered: false, workers: 0 }
  const small = Array.from({ length: labelValuesMax }, (_, index) => ({ ...stranger, name: `q${index}` }))
  let queues: readonly QueueDepth[] = small
  observeQueues(registry, { read: async () => readingOf(...queues), cacheMs: 0 })
  await scrape(registry)
  queues = [...small, { ...stranger, name: 'unserved', queued: 5_000 }]
  expect(await scrape(registry)).toContain('queue_jobs{queue="unserved",status="queued"} 5000')
})

test('a late schedule has its lateness, and a future one has none', async () => {
  const registry = createMetricsRegistry({ service: 'test' })
  let scheduleDueMs = -1_500
  observeQueues(registry, { read: async () => ({ ...readingOf(), scheduleDueMs }), cacheMs: 0 })
  expect(await scrape(registry)).toContain('queue_schedule_overdue_seconds 1.5')
  scheduleDueMs = 2_000
  expect(await scrape(registry)).toContain('queue_schedule_overdue_seconds 0')
})

test('a version of a kind that no worker of its queue runs has the time of its wait, unless the queue has no workers', async () => {
  const registry = createMetricsRegistry({ service: 'test' })
  const waiting = { queue: 'mail', kind: 'invoice', version: 2, oldest_seconds: 90, queue_is_served: true }
  let unserved = [waiting, { ...waiting, queue: 'nobody', queue_is_served: false }]
  observeQueues(registry, { read: async () => ({ ...readingOf(), unserved }), cacheMs: 0 })
  const lines = async () => (await scrape(registry)).filter((line) => line.startsWith('queue_unserved'))
  expect(await lines()).toEqual(['queue_unserved_seconds{queue="mail",kind="invoice",version="2"} 90'])
  unserved = []
  expect(await lines()).toEqual([])
})

test('a limit has its running and waiting jobs and the time for which it has held jobs back; keys are no labels', async () => {
  const registry = createMetricsRegistry({ service: 'test' })
  let nowMs = 0
  const ofKeys = {
    queue: 'mail',
    scope: 'each_key',
    name: '',
    running: 7,
    running_most: 3,
    waiting: 9,
    is_holding: true,
  }
  const ofKind = {
    ...ofKeys,
    scope: 'kind',
    name: 'invoice',
    running: 2,
    running_most: 2,
    waiting: 0,
    is_holding: false,
  }
  observeLimits(
    registry,
    async () => [ofKeys, ofKind],
    () => nowMs,
  )
  await scrape(registry)
  nowMs = 10_000
  await scrape(registry)
  nowMs = 600_000
  const lines = (await scrape(registry)).filter((line) => line.startsWith('queue_limit'))
  const [keys, kind] = [
    '{queue="mail",scope="each_key",name=""}',
    '{queue="mail",scope="kind",name="invoice"}',
  ]
  expect(lines).toEqual([
    `queue_limit_running${keys} 7`,
    `queue_limit_running${kind} 2`,
    `queue_limit_running_most${keys} 3`,
    `queue_limit_running_most${kind} 2`,
    `queue_limit_waiting${keys} 9`,
    `queue_limit_waiting${kind} 0`,
    `queue_limit_held_seconds_total${keys} 70`,
    `queue_limit_held_seconds_total${kind} 0`,
  ])
})

test('enqueues that full queues refuse are counted by queue, for at most 200 names of other queues', async () => {
  const registry = createMetricsRegistry({ service: 'test' })
  const refused = createRefusalMetrics(registry)
  refused('mail')
  refused('mail')
  for (let n = 0; n < labelValuesMax + 9; n += 1) refused(`queue-${n}`)
  const lines = (await scrape(registry)).filter((line) => line.startsWith('queue_enqueues_refused_total'))
  expect(lines).toHaveLength(labelValuesMax + 1)
  expect(lines).toContain('queue_enqueues_refused_total{queue="mail"} 2')
  expect(lines).toContain('queue_enqueues_refused_total{queue="other"} 10')
})
