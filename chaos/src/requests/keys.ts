// Requests that make jobs, with keys and without, whose connections are cut and whose process is killed.
import { setTimeout as wait } from 'node:timers/promises'
import type { Random } from '../nemesis/random.ts'
import type { Attack } from './attack.ts'
import type { ApiAnswer, ApiRequest } from './checked-api.ts'
import { createJob, createSchedule, kind, queue } from './subjects.ts'

const roundsAtOnce = 6
const callers = 4
const cutShare = 0.15
const cutMsMax = 15
const roundsPerKill = 150
const firstKill = 10

/** A request that makes jobs, and what became of it. */
interface Made {
  /** In the metadata of its jobs. */
  readonly marker: string
  /** How many jobs had the marker before. */
  readonly before: number
  /** How many jobs it makes at once. */
  readonly jobs: number
  readonly isAnswered: boolean
}

interface Keyed {
  readonly key: string
  readonly drawn: number
  /** Undefined if nobody knows. */
  readonly answer: { readonly id: string; readonly isNew: boolean; readonly isMismatch: boolean } | undefined
}

/** Attacks, stops the processes, and compares what they have answered with the jobs that there are. */
export async function attackKeys(attack: Attack): Promise<void> {
  const { api, report, count, rounds } = attack
  const made: Made[] = []
  const keyed: Keyed[] = []
  let killing: Promise<void> | undefined
  try {
    await rounds(roundsAtOnce, async (n, random) => {
      if (n % roundsPerKill === firstKill) {
        count('kills')
        killing = killing?.then(() => api.replace(1)) ?? api.replace(1)
      }
      await (n % 2 === 0 ? makeJobs(attack, { n, random }, made) : useKey(attack, { n, random }, keyed))
    })
  } finally {
    await killing
  }
  // Requests that were cut may still be under way.
  await api.stop()
  for (const fault of await wrongCounts(attack, made)) report(fault)
  for (const fault of await wrongKeys(attack, keyed)) report(fault)
}

interface Draw {
  readonly n: number
  readonly random: Random
}

/** Some of the connections are cut at a random moment. */
function cutSome(random: Random): AbortSignal | undefined {
  if (!random.chance(cutShare)) return undefined
  const cut = new AbortController()
  void wait(random.between(0, cutMsMax)).then(() => cut.abort())
  return cut.signal
}

/** Several callers want one key, through every way to name it, with equal and with other payloads. */
async function useKey({ api, count }: Attack, { n, random }: Draw, keyed: Keyed[]): Promise<void> {
  const key = `key-${n}`
  await Promise.all(
    Array.from({ length: callers }, async (_, caller) => {
      const drawn = random.chance(0.8) ? 0 : 1
      const job = { kind, queue, payload: { drawn }, delay_ms: 10_000_000 }
      const request = random.pick<Omit<ApiRequest, 'method'>>([
        { target: '/jobs', headers: { 'idempotency-key': key }, body: job },
        { target: '/jobs', body: { ...job, idempotency_key: key } },
        { target: '/jobs/batch', body: { jobs: [{ ...job, idempotency_key: key }] } },
      ])
      const sent = { method: 'POST', process: n + caller, signal: cutSome(random), ...request }
      const answer = await api.trySend(sent)
      if (answer === undefined) count('cut requests')
      keyed.push({ key, drawn, answer: answer && keyedAnswer(answer) })
    }),
  )
}

function keyedAnswer({ body, headers }: ApiAnswer): Keyed['answer'] {
  const [job = body] = (body['data'] ?? []) as readonly Readonly<Record<string, unknown>>[]
  return {
    id: String(job['id']),
    isNew: headers.get('idempotent-replayed') !== 'true',
    isMismatch: headers.get('idempotency-mismatch') === 'true',
  }
}

type MakeJobs = () => Promise<Pick<Made, 'jobs' | 'before'> & Omit<ApiRequest, 'method'>>

/** A request without a key, which may make its jobs once. */
async function makeJobs({ api, count }: Attack, { n, random }: Draw, made: Made[]): Promise<void> {
  const marker = `made-${n}`
  const metadata = { marker }
  const job = { kind, queue, payload: {}, delay_ms: 10_000_000, metadata }
  const ways: readonly MakeJobs[] = [
    async () => ({ before: 0, jobs: 1, target: '/jobs', body: job }),
    async () => {
      const { target } = await createJob(api, random, { metadata })
      return { before: 1, jobs: 1, target: `${target}/duplicate` }
    },
    async () => ({ before: 0, jobs: 3, target: '/jobs/batch', body: { jobs: [job, job, job] } }),
    async () => {
      const { target } = await createSchedule(api, marker, { metadata })
      return { before: 0, jobs: 1, target: `${target}/run-now` }
    },
  ]
  const { before, jobs, ...request } = await (ways[(n / 2) % ways.length] ?? random.pick(ways))()
  const answer = await api.trySend({ method: 'POST', process: n, signal: cutSome(random), ...request })
  if (answer === undefined) count('cut requests')
  count('requests that make jobs')
  made.push({ marker, before, jobs, isAnswered: answer !== undefined })
}

/** One request at most makes the job of a key, which every answer names, and tells whose body is another. */
async function wrongKeys({ database }: Attack, keyed: readonly Keyed[]): Promise<string[]> {
  const { rows } = await database.pool.query<{ key: string; ids: string[]; drawn: number }>(
    `SELECT idempotency_key AS key, array_agg(id::text) AS ids, min((payload->>'drawn')::int) AS drawn
       FROM queue.all_jobs WHERE idempotency_key LIKE 'key-%' GROUP BY idempotency_key`,
  )
  const jobs = new Map(rows.map(({ key, ...job }) => [key, job]))
  const faults = rows.filter(({ ids }) => ids.length > 1).map(({ key }) => `${key} has several jobs`)
  for (const [key, answers] of Map.groupBy(keyed, (one) => one.key)) {
    const job = jobs.get(key)
    const known = answers.flatMap(({ answer, drawn }) => (answer === undefined ? [] : [{ ...answer, drawn }]))
    const isLost = known.length < answers.length
    const news = known.filter(({ isNew }) => isNew).length
    if (news > 1 || (news === 0 && !isLost))
      faults.push(`${key}: ${news} requests were told that their job is new`)
    if (known.some(({ id }) => job?.ids.includes(id) !== true))
      faults.push(`${key}: an answer names another job`)
    if (known.some(({ isMismatch, drawn }) => isMismatch !== (drawn !== job?.drawn)))
      faults.push(`${key}: a mismatch is not told, or told of the same body`)
  }
  return faults
}

/** What was answered has happened once, and what was not answered once or not at all. */
async function wrongCounts({ database }: Attack, made: readonly Made[]): Promise<string[]> {
  const { rows } = await database.pool.query<{ marker: string; jobs: number }>(
    `SELECT metadata->>'marker' AS marker, count(*)::int AS jobs FROM queue.all_jobs
      WHERE metadata->>'marker' LIKE 'made-%' GROUP BY 1`,
  )
  const found = new Map(rows.map(({ marker, jobs }) => [marker, jobs]))
  return made.flatMap(({ marker, before, jobs, isAnswered }) => {
    const count = (found.get(marker) ?? 0) - before
    const isRight = count === jobs || (count === 0 && !isAnswered)
    const what = isAnswered ? 'was answered' : 'had no answer'
    return isRight ? [] : [`${marker}: a request for ${jobs} jobs that ${what} has made ${count}`]
  })
}
