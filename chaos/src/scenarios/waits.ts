import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { defineJob } from '@queue/core'
import { createKey, digestSecret, formatApiKey, databaseOf } from '@queue/core/internal'
import { createTestDatabase, eventually, type TestDatabase } from '@queue/testing'
import { z } from 'zod'
import { type ApiProcess, startApiProcess } from '../fleet/api-process.ts'
import {
  faultOf,
  type HttpWait,
  outcomeOf,
  type Restarted,
  secret,
  startWaits,
  waitOverHttp,
} from '../waits/http-waits.ts'
import { changeJobs, type WatchedJob } from '../waits/watched-job.ts'
import { type Scenario, type ScenarioContext, resultOf } from './scenario.ts'

const kind = defineJob({ kind: 'pay', payload: z.looseObject({}), sensitive: ['/mail'] })
const body = { kind: 'pay', payload: { mail: secret }, delay_ms: 3_600_000 }
const jobCount = 30
/** Waits for each end of the API. Every second one is graceful. */
const waitsPerEnd = 150

/**
 * Callers who may not read payloads wait over HTTP for jobs that end, live again at once, and vanish, while the API is killed, stopped
 * and started again.
 */
export const waits: Scenario = {
  number: 42,
  name: 'waits',
  law: 'a wait over HTTP ends in time with what was true, and shows nothing hidden, whatever becomes of its job and of the API',
  counted: 'waits',
  full: { jobs: 0, count: 20_000, minutesMax: 20 },
  reduced: { jobs: 0, count: 150, minutesMax: 2 },
  run: async (context) => {
    const database = await createTestDatabase({ serverUrl: context.serverUrl })
    try {
      await database.queue.register([kind])
      return await attackWaits(database, context)
    } finally {
      await database.close()
    }
  },
}

async function attackWaits(
  database: TestDatabase,
  { random, size, signal, defect }: ScenarioContext,
): Promise<ReturnType<typeof resultOf>> {
  const key = await makeKey(database)
  const env = { DATABASE_URL: database.urlAs('api'), API_KEYS: 'yes', API_KEY_MAX_WAITS: '1000' }
  let api: ApiProcess = await startApiProcess({ env, defect })
  const restarted: Restarted = { url: () => api.url, outages: [] }
  const settled: HttpWait[] = []
  const lost: string[] = []
  try {
    for (let n = 0; n * waitsPerEnd < size.count && !signal.aborted; n += 1) {
      const done = new AbortController()
      // New ones: in the end most of them have ended, and nobody waits for these.
      const jobs = await makeJobs(database, { api, key, random })
      const changing = changeJobs(database, {
        jobs,
        random: random.fork(`changes ${n}`),
        signal: done.signal,
      })
      const count = Math.min(waitsPerEnd, size.count)
      let ended = 0
      const waiting = startWaits(count, signal, async () => {
        const wait = await waitOverHttp(restarted, random.pick(jobs), { key, body, random })
        ended += 1
        return wait
      })
      await sleep(random.between(1_150, 1_400))
      // Otherwise nearly all of them would be cut, and hardly one could be answered too early.
      await eventually(() => ended >= count / 2, { what: 'half of the waits have ended' })
      const outage = { fromMs: performance.now(), toMs: Infinity, isGraceful: n % 2 === 1 }
      restarted.outages.push(outage)
      await (outage.isGraceful ? api.stop() : api.kill())
      api = await startApiProcess({ env, defect })
      outage.toMs = performance.now()
      settled.push(...(await waiting))
      done.abort()
      await changing
      lost.push(...(await findLostKeys(jobs, { api, key })))
    }
    return judge(settled, restarted, lost)
  } finally {
    await api.stop()
  }
}

function judge(
  settled: readonly HttpWait[],
  restarted: Restarted,
  lost: readonly string[],
): ReturnType<typeof resultOf> {
  const counts = { ended: 0, 'timed out': 0, 'not found': 0, cut: 0 }
  for (const wait of settled) counts[outcomeOf(wait)] += 1
  const faults = settled.flatMap((wait) => {
    const fault = faultOf(wait, restarted)
    return fault === undefined ? [] : [`a wait by ${wait.how} for job ${wait.job.id} ${fault}`]
  })
  const isVoid = counts.ended === 0 || counts['timed out'] === 0 || counts.cut === 0
  return resultOf({
    faults: [...faults, ...lost],
    counts: { ...counts, restarts: restarted.outages.length },
    voidBecause: isVoid ? 'the waits did not end in every way' : undefined,
  })
}

/** A key that may enqueue and read jobs, but no payloads. */
async function makeKey(database: TestDatabase): Promise<string> {
  const id = 'waiter01'
  const bytes = randomBytes(32)
  const digest = digestSecret(bytes)
  await createKey(databaseOf(database.queue), {
    id,
    digest,
    name: id,
    role: 'read',
    permissions: ['jobs:enqueue'],
  })
  return formatApiKey(id, bytes)
}

/** Half of them with an idempotency key. */
async function makeJobs(
  database: TestDatabase,
  { random, ...caller }: Caller & Pick<ScenarioContext, 'random'>,
): Promise<WatchedJob[]> {
  return Promise.all(
    Array.from({ length: jobCount }, async (_, n) => {
      const idempotencyKey = n % 2 === 0 ? `key ${n} ${random.next()}` : undefined
      const id =
        idempotencyKey === undefined
          ? (await database.queue.enqueue(kind, { mail: secret }, { delayMs: body.delay_ms })).job.id
          : await enqueue(caller, idempotencyKey)
      return { id, idempotencyKey, versions: [{ beganMs: 0, doneMs: performance.now(), state: 'waits' }] }
    }),
  )
}

interface Caller {
  readonly api: ApiProcess
  readonly key: string
}

/** The id of the job in the answer. */
async function enqueue({ api, key }: Caller, idempotencyKey: string): Promise<string> {
  const response = await fetch(`${api.url}/jobs`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${key}`,
      'content-type': 'application/json',
      'idempotency-key': idempotencyKey,
    },
    body: JSON.stringify(body),
  })
  const { id } = (await response.json()) as { id?: string }
  return id ?? `none, but ${response.status}`
}

/** After all, each key still names its job. */
async function findLostKeys(jobs: readonly WatchedJob[], caller: Caller): Promise<string[]> {
  const faults = await Promise.all(
    jobs.map(async ({ id, idempotencyKey }) => {
      const named = idempotencyKey === undefined ? id : await enqueue(caller, idempotencyKey)
      return named === id ? [] : [`the key of job ${id} names ${named}`]
    }),
  )
  return faults.flat()
}
