import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals'
import {
  type Job,
  type JobOptions,
  type JobRequest,
  resizeImage,
  sendEmail,
  summarizeText,
  webhookDelivery,
} from '@queue/core'
import { simulatedOutcome } from '@queue/executor'
import { createTestDatabase, eventually, type TestDatabase } from '@queue/testing'
import { createWorkerProcesses, type WorkerProcess } from './worker-process.ts'

const workers = createWorkerProcesses()
let database: TestDatabase

beforeAll(async () => {
  database = await createTestDatabase()
})

afterEach(() => workers.killAll())

afterAll(() => database?.close())

test('every job of the built-in kinds ends as simulatedOutcome computes it, and the metrics agree', async () => {
  const worker = start({ WORKER_QUEUES: 'all', WORKER_SIMULATION_SPEED: '1000' })
  const requests = Array.from({ length: 15 }, (_, index) =>
    oneOfEach({ queue: 'all', maxAttempts: (index % 2) + 1, retryPolicy: { type: 'fixed', baseMs: 1 } }),
  )
  const enqueued = await database.queue.enqueueMany(requests.flat())

  const ended = await eventually(async () => {
    const jobs = await Promise.all(enqueued.map(({ job }) => read(job.id)))
    return jobs.every((job) => job.finishedAt !== null) && jobs
  })

  expect(ended.map(summaryOf)).toStrictEqual(enqueued.map(({ job }) => expectedSummary(job)))
  for (const status of ['succeeded', 'failed_permanent'] as const) {
    const jobs = ended.filter((job) => job.status === status).length
    await eventually(async () => (await completed(worker, status)) === jobs, {
      what: `${jobs} ${status} counted`,
    })
  }
})

test('SIGTERM lets a running job finish, and exits 0', async () => {
  const worker = start({ WORKER_QUEUES: 'finishes', WORKER_SIMULATION_SPEED: '0.1' })
  const { job } = await database.queue.enqueue(
    summarizeText,
    { text: 'long' },
    { queue: 'finishes', maxAttempts: 1 },
  )
  await untilRunning(job)
  worker.process.kill('SIGTERM')

  expect((await worker.ended).code).toBe(0)
  expect(summaryOf(await read(job.id))).toStrictEqual(expectedSummary(job))
})

test('a job that outlasts the shutdown grace time is released without counting the attempt, and the exit code is 0', async () => {
  const worker = start({
    WORKER_QUEUES: 'released',
    WORKER_SIMULATION_SPEED: '0.001',
    WORKER_SHUTDOWN_GRACE_MS: '0',
  })
  const { job } = await database.queue.enqueue(summarizeText, { text: 'endless' }, { queue: 'released' })
  // A stop between its claim and its start would return it as if it had never been claimed.
  await eventually(async () => /^worker_active_jobs\b.* 1$/m.test((await worker.page('/metrics')).body), {
    what: 'the handler running',
  })
  worker.process.kill('SIGTERM')

  expect((await worker.ended).code).toBe(0)
  expect(await read(job.id)).toMatchObject({ status: 'retrying', attempts: 0, lockedBy: null })
  expect(await database.queue.executions(job.id)).toMatchObject([{ attempt: 1, outcome: 'released' }])
})

test('a draining process is alive and not ready, and a second signal ends it at once', async () => {
  const worker = start({ WORKER_QUEUES: 'abandoned', WORKER_SIMULATION_SPEED: '0.001' })
  const { job } = await database.queue.enqueue(summarizeText, { text: 'endless' }, { queue: 'abandoned' })
  await untilRunning(job)
  worker.process.kill('SIGTERM')
  await worker.logged('SIGTERM received: stopping; a second signal exits at once')

  expect(await worker.page('/readyz')).toMatchObject({
    status: 503,
    body: expect.stringContaining('stopping'),
  })
  expect((await worker.page('/livez')).status).toBe(200)
  expect((await read(job.id)).status).toBe('running')

  worker.process.kill('SIGTERM')

  expect((await worker.ended).code).toBe(143)
})

test('a running job that is cancelled ends cancelled, at its next safe point', async () => {
  start({ WORKER_QUEUES: 'cancelled', WORKER_SIMULATION_SPEED: '0.001' })
  const { job } = await database.queue.enqueue(summarizeText, { text: 'endless' }, { queue: 'cancelled' })
  await untilRunning(job)
  await database.queue.cancel(job.id)

  await eventually(async () => (await read(job.id)).status === 'cancelled')
  expect(await database.queue.executions(job.id)).toMatchObject([{ outcome: 'cancelled' }])
})

test('two processes have different ids that start with the prefix', async () => {
  const pair = [start({ WORKER_ID_PREFIX: 'twin' }), start({ WORKER_ID_PREFIX: 'twin' })]
  const ids = await Promise.all(
    pair.map(async (worker) => (await worker.logged('worker registered'))['worker_id']),
  )

  expect(new Set(ids).size).toBe(2)
  expect(ids).toStrictEqual([expect.stringMatching(/^twin-/), expect.stringMatching(/^twin-/)])
})

function start(env: Readonly<Record<string, string>>): WorkerProcess {
  return workers.start({
    env: { DATABASE_URL: database.urlAs('worker'), WORKER_POLL_INTERVAL_MS: '20', ...env },
  })
}

function oneOfEach(options: JobOptions): JobRequest[] {
  return [
    sendEmail.create({ to: 'a@example.org', subject: 'Hello', body: 'Hello.' }, options),
    resizeImage.create({ source_url: 'https://example.org/a.png', width: 10, height: 10 }, options),
    summarizeText.create({ text: 'A long story.' }, options),
    webhookDelivery.create({ url: 'https://example.org/hook' }, options),
  ]
}

async function read(id: string): Promise<Job> {
  const job = await database.queue.get(id)
  if (job === undefined) throw new Error(`there is no job ${id}`)
  return job
}

async function untilRunning(job: Job): Promise<void> {
  await eventually(async () => (await read(job.id)).status === 'running', { what: 'the job running' })
}

function summaryOf({ id, status, attempts }: Job) {
  return { id, status, attempts }
}

function expectedSummary({ id, kind, maxAttempts }: Job) {
  for (let attempt = 1; attempt <= maxAttempts; attempt += 1) {
    if (simulatedOutcome(id, attempt, kind) === 'succeeded')
      return { id, status: 'succeeded', attempts: attempt }
  }
  return { id, status: 'failed_permanent', attempts: maxAttempts }
}

/** The sum of worker_jobs_completed_total over all kinds for one outcome. */
async function completed(worker: WorkerProcess, outcome: string): Promise<number> {
  const { body } = await worker.page('/metrics')
  const series = body.split('\n').filter((line) => line.startsWith('worker_jobs_completed_total{'))
  return series
    .filter((line) => line.includes(`outcome="${outcome}"`))
    .reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0)
}
