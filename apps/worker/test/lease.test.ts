import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals'
import type { Execution, Job } from '@queue/core'
import { leastOfTries } from '@queue/test-database'
import { createTestDatabase, eventually, type TestDatabase } from '@queue/testing'
import { misbehave } from './programs/misbehave.ts'
import { createWorkerProcesses, type WorkerProcess } from './worker-process.ts'

const leaseMs = 2_000
const recoveryMs = 100
const stallMs = 2_000
/** The tolerance for a process on a busy machine. */
const slackMs = 1_500

const workers = createWorkerProcesses()
let database: TestDatabase

beforeAll(async () => {
  database = await createTestDatabase()
})

afterEach(() => workers.killAll())

afterAll(() => database?.close())

function start(queue: string, env: Readonly<Record<string, string>> = {}): WorkerProcess {
  return workers.start({
    main: 'misbehaving',
    env: {
      DATABASE_URL: database.urlAs('worker'),
      WORKER_QUEUES: queue,
      WORKER_POLL_INTERVAL_MS: '20',
      WORKER_LEASE_MS: String(leaseMs),
      WORKER_HEARTBEAT_MS: '600',
      WORKER_RECOVERY_INTERVAL_MS: String(recoveryMs),
      ...env,
    },
  })
}

async function read(id: string): Promise<Job> {
  const job = await database.queue.get(id)
  if (job === undefined) throw new Error(`there is no job ${id}`)
  return job
}

async function executionsOf(id: string): Promise<readonly Execution[]> {
  return (await database.queue.executions(id)) ?? []
}

function lines(worker: WorkerProcess, message: string) {
  return worker.log().filter((line) => line.message === message)
}

test('a handler that blocks the event loop for three leases keeps its job and those beside it, late ones too, and its process is alive meanwhile', async () => {
  const busy = start('blocked')
  const otherWorker = start('others')
  await Promise.all([busy, otherWorker].map((worker) => worker.logged('worker registered')))
  const pausing = { act: 'pause', ms: 200 } as const
  const blocking = { act: 'block', ms: 3 * leaseMs + 500 } as const
  // Its timeout and grace pass while it can do nothing about it.
  const neighbour = { queue: 'blocked', priority: 0, timeoutMs: 100, maxAttempts: 1 }
  const enqueued = await database.queue.enqueueMany([
    misbehave.create(pausing, neighbour),
    misbehave.create(blocking, { queue: 'blocked' }),
  ])
  const [besideId = '', id = ''] = enqueued.map(({ job }) => job.id)
  await eventually(async () => (await read(id)).status === 'running')

  const probes: number[] = []
  while ((await read(id)).status === 'running') probes.push((await busy.page('/livez')).status)

  expect(probes.length).toBeGreaterThan(1)
  expect(new Set(probes)).toStrictEqual(new Set([200]))
  expect(await read(id)).toMatchObject({ status: 'succeeded', attempts: 1, crashes: 0 })
  expect(await executionsOf(id)).toMatchObject([{ outcome: 'succeeded' }])
  await eventually(async () => (await read(besideId)).status !== 'running')
  await eventually(() => lines(busy, 'begun').length === 2)
  expect(await read(besideId)).toMatchObject({ status: 'succeeded', attempts: 1, crashes: 0 })
  expect(lines(otherWorker, 'a worker was lost: its lease has expired')).toStrictEqual([])
})

interface Takeover {
  readonly victim: Awaited<WorkerProcess['ended']>
  /** The time from the start of the endless attempt until it was recorded as lost. */
  readonly lostAfterMs: number
}

let spins = 0

/** The process of a worker, which may have lost its lease on a busy machine, and then has another id. */
function processOf(workerId: unknown): string {
  const id = String(workerId)
  return id.slice(0, id.lastIndexOf('-'))
}

/** Lets one of two workers run a job that blocks its event loop forever, until the other one recovers the job. */
async function spin(): Promise<Takeover> {
  const queue = `spin-${(spins += 1)}`
  const env = { WORKER_STALL_MS: String(stallMs) }
  const pair = [start(queue, env), start(queue, env)]
  const processes = await Promise.all(
    pair.map(async (worker) => processOf((await worker.logged('worker registered'))['worker_id'])),
  )
  const { job } = await database.queue.enqueue(misbehave, { act: 'spin' }, { queue })
  const { lockedBy } = await eventually(async () => {
    const claimed = await read(job.id)
    return claimed.lockedBy !== null && claimed
  })
  const victimProcess = processOf(lockedBy)
  const victim = await (pair[processes.indexOf(victimProcess)] as WorkerProcess).ended
  await eventually(async () => (await read(job.id)).status === 'succeeded')
  const executions = await executionsOf(job.id)
  const [lost] = executions as [Execution]
  expect(
    executions.map(({ outcome, workerId }) => ({ outcome, process: processOf(workerId) })),
  ).toStrictEqual([
    { outcome: 'lost', process: victimProcess },
    { outcome: 'succeeded', process: processes.find((name) => name !== victimProcess) },
  ])
  return { victim, lostAfterMs: lost.finishedAt.getTime() - lost.startedAt.getTime() }
}

test('a handler that never lets go of the event loop is killed with its process, and its job taken over in time', async () => {
  const lostAfterMsMax = stallMs + leaseMs + recoveryMs + slackMs
  const leastMs = await leastOfTries(lostAfterMsMax, async () => {
    const { victim, lostAfterMs } = await spin()
    expect(victim.signal).toBe('SIGKILL')
    expect(victim.stderr.trimEnd().split('\n').map(messageOf)).toStrictEqual([
      expect.stringMatching(/^the process is ended: the event loop has not turned for \d+ ms$/),
    ])
    expect(lostAfterMs).toBeGreaterThanOrEqual(stallMs)
    return lostAfterMs
  })
  expect(leastMs).toBeLessThan(lostAfterMsMax)
})

test('a worker that was marked lost aborts its handlers, and continues under another name', async () => {
  const worker = start('lost')
  const first = (await worker.logged('worker registered'))['worker_id']
  const { job } = await database.queue.enqueue(misbehave, { act: 'wait' }, { queue: 'lost' })
  await worker.logged('begun')
  await database.pool.query("UPDATE queue.workers SET state = 'lost' WHERE id = $1", [first])

  expect((await worker.logged('told to stop'))['reason']).toBe('lease_lost')
  const second = await eventually(() => lines(worker, 'worker registered')[1]?.['worker_id'])
  expect(second).not.toBe(first)
  await eventually(async () => (await read(job.id)).lockedBy === second)
  expect((await executionsOf(job.id))[0]).toMatchObject({ outcome: 'lost', workerId: first })
  const { rows } = await database.pool.query(
    'SELECT state FROM queue.workers WHERE id = ANY($1) ORDER BY started_at',
    [[first, second]],
  )
  expect(rows).toStrictEqual([{ state: 'lost' }, { state: 'active' }])
})

test('when every slot has a handler that outlives its timeout, the process claims no more jobs and exits with code 1', async () => {
  const worker = start('zombies', { WORKER_CONCURRENCY: '2', WORKER_PREFETCH: '0' })
  await worker.logged('worker registered')
  const stuck = misbehave.create({ act: 'ignore' }, { queue: 'zombies', timeoutMs: 1 })
  const enqueued = await database.queue.enqueueMany([stuck, stuck])
  await eventually(() => lines(worker, 'begun').length === 2)
  const waiting = await database.queue.enqueue(misbehave, { act: 'return' }, { queue: 'zombies' })
  const { code, log } = await worker.ended

  expect(code).toBe(1)
  expect(log.at(-1)).toMatchObject({
    level: 'error',
    message: expect.stringContaining('all 2 slots hold handlers that run past their timeout and grace'),
  })
  for (const { job } of enqueued) {
    expect(await executionsOf(job.id)).toMatchObject([{ outcome: 'failed' }])
    expect(await read(job.id)).toMatchObject({ status: 'retrying', lockedBy: null })
  }
  expect(await read(waiting.job.id)).toMatchObject({ status: 'queued', attempts: 0 })
})

function messageOf(line: string): string {
  return (JSON.parse(line) as { message: string }).message
}
