import { setTimeout as sleep } from 'node:timers/promises'
import type { Random } from '../nemesis/random.ts'
import { statesBetween, type WatchedJob } from './watched-job.ts'

/** What nobody without payload:read may see. It is a part of each payload. */
export const secret = 'seen-by-nobody@example.com'

/** An API that is killed and stopped, and started again, while others call it. */
export interface Restarted {
  readonly url: () => string
  /** From before it was ended until it answered again. */
  readonly outages: { readonly fromMs: number; toMs: number; readonly isGraceful: boolean }[]
}

/** One wait, and what came of it. */
export interface HttpWait {
  readonly job: WatchedJob
  readonly how: 'GET' | 'POST'
  readonly seconds: number
  readonly startedMs: number
  readonly settledMs: number
  /** Absent where no answer has come. */
  readonly answer?: { readonly status: number; readonly text: string }
}

/** Waits a little longer than any answer may take. */
const patienceMs = 20_000
/** An answer takes this long beside its wait, on a busy machine. */
const slackMs = 5_000

export interface WaitSettings {
  readonly key: string
  readonly body: Readonly<Record<string, unknown>>
  readonly random: Random
}

/** Waits for a job as somebody who may not read payloads. */
export async function waitOverHttp(
  { url }: Restarted,
  job: WatchedJob,
  { key, body, random }: WaitSettings,
): Promise<HttpWait> {
  const how = job.idempotencyKey !== undefined && random.chance(0.5) ? 'POST' : 'GET'
  const seconds = random.pick([1, 1, 2])
  const headers = { authorization: `Bearer ${key}`, prefer: `wait=${seconds}` }
  const startedMs = performance.now()
  const sent =
    how === 'GET'
      ? fetch(`${url()}/jobs/${job.id}`, { headers, signal: AbortSignal.timeout(patienceMs) })
      : fetch(`${url()}/jobs`, {
          method: 'POST',
          headers: {
            ...headers,
            'content-type': 'application/json',
            'idempotency-key': job.idempotencyKey ?? '',
          },
          body: JSON.stringify(body),
          signal: AbortSignal.timeout(patienceMs),
        })
  const answer = await sent
    .then(async (response) => ({ status: response.status, text: await response.text() }))
    .catch(() => undefined)
  const wait = { job, how, seconds, startedMs, settledMs: performance.now() } as const
  return answer === undefined ? wait : { ...wait, answer }
}

/** Starts waits a few at a time, and resolves when all have ended. */
export async function startWaits(
  count: number,
  signal: AbortSignal,
  wait: () => Promise<HttpWait>,
): Promise<HttpWait[]> {
  const waits: Promise<HttpWait>[] = []
  for (let n = 0; n < count && !signal.aborted; n += 1) {
    waits.push(wait())
    if (n % 25 === 24) await sleep(200)
  }
  return Promise.all(waits)
}

/** How a wait ended, for the counts of a run. */
export function outcomeOf({ answer }: HttpWait): 'ended' | 'timed out' | 'not found' | 'cut' {
  if (answer === undefined || answer.status === 503) return 'cut'
  if (answer.status === 404) return 'not found'
  return isEnded(answer.text) ? 'ended' : 'timed out'
}

/** What is wrong with a wait: an answer must have been true at a moment between call and answer, and come in time. */
export function faultOf(wait: HttpWait, { outages }: Restarted): string | undefined {
  const { job, seconds, startedMs, settledMs, answer } = wait
  const tookMs = settledMs - startedMs
  const outage = outages.find(({ fromMs, toMs }) => fromMs <= settledMs && toMs >= startedMs)
  if (tookMs > seconds * 1_000 + slackMs) return `took ${Math.round(tookMs)} ms`
  const outcome = outcomeOf(wait)
  if (outcome === 'cut') return outage === undefined ? 'was not answered' : undefined
  if (answer === undefined) return undefined
  if (answer.text.includes(secret)) return 'shows what is hidden'
  const states = statesBetween(job, startedMs, settledMs)
  if (outcome === 'not found') return states.has('gone') ? undefined : 'did not find a job that was there'
  if (answer.status !== 200) return `was answered ${answer.status}: ${answer.text}`
  if (idOf(answer.text) !== job.id) return 'was answered with another job'
  if (outcome === 'ended') return states.has('ended') ? undefined : 'told an end that was not'
  if (!states.has('waits')) return 'missed an end'
  const isEarly = tookMs < seconds * 1_000 - 50 && outage?.isGraceful !== true
  return isEarly ? 'was answered before its time, although the job waits' : undefined
}

function isEnded(text: string): boolean {
  return (JSON.parse(text) as { status?: string }).status === 'cancelled'
}

function idOf(text: string): string | undefined {
  return (JSON.parse(text) as { id?: string }).id
}
