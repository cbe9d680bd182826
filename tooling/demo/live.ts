import { setTimeout as sleep } from 'node:timers/promises'
import type { SimulatedKind } from '@queue/executor'
import { call } from './api.ts'
import { demoPayload } from './plan.ts'

/** The queues of the demo, one for each kind, and one that is paused. */
export const demoQueues = ['default', 'mail', 'images', 'texts', 'webhooks', 'billing'] as const

const queueOf: Readonly<Record<SimulatedKind, (typeof demoQueues)[number]>> = {
  send_email: 'mail',
  resize_image: 'images',
  summarize_text: 'texts',
  webhook_delivery: 'webhooks',
}
const kinds = Object.keys(queueOf) as SimulatedKind[]

const tickMs = 1_000
/** The period in seconds in which the rate of a kind rises and falls. */
const periodS = 90
const perSecondMax = 3
/** Every sixth job has a single attempt, so that it can fail permanently. */
const lastAttemptEvery = 6
const pausedQueue = 'billing'
const pausedJobs = 40
const schedule = {
  name: 'every-half-minute',
  every_ms: 30_000,
  kind: 'send_email',
  payload: { to: 'reports@example.com', subject: 'Report', body: 'It is attached.' },
  queue: 'mail',
}

export interface LiveOptions {
  readonly apiUrl: string
  readonly signal: AbortSignal
}

/**
 * Submits jobs until the demo ends, so that the dashboard shows rates that rise and fall, failures with several causes, a paused
 * queue and a schedule. Requests that fail are ignored.
 */
export async function submitContinuously({ apiUrl, signal }: LiveOptions): Promise<void> {
  const post = async (path: string, body?: unknown): Promise<void> => {
    await call({ url: `${apiUrl}${path}`, method: 'POST', body }).catch(() => undefined)
  }
  await post(`/queues/${pausedQueue}/pause`)
  await post('/schedules', schedule)
  for (let order = 0; order < pausedJobs; order += 1) {
    await post('/jobs', { kind: 'send_email', payload: demoPayload('send_email', order), queue: pausedQueue })
  }
  for (let second = 0, order = 4_700; !signal.aborted; second += 1) {
    for (const kind of kindsOf(second)) {
      order += 1
      await post('/jobs', liveJob(kind, order))
    }
    await sleep(tickMs, undefined, { signal }).catch(() => undefined)
  }
}

/** The kinds of the jobs to submit in this second. The rate of each kind follows its own wave. */
function kindsOf(second: number): SimulatedKind[] {
  return kinds.flatMap((kind, index) => {
    const wave = (1 + Math.sin((2 * Math.PI * (second + (index * periodS) / kinds.length)) / periodS)) / 2
    // Fractions of a job add up until they make a whole one.
    const countUntil = (seconds: number): number => Math.floor(seconds * wave * perSecondMax)
    return Array.from({ length: countUntil(second + 1) - countUntil(second) }, () => kind)
  })
}

function liveJob(kind: SimulatedKind, order: number): Record<string, unknown> {
  return {
    kind,
    payload: demoPayload(kind, order),
    queue: queueOf[kind],
    metadata: { order_id: order, customer: `c-${order % 17}` },
    ...(order % lastAttemptEvery === 0 && { max_attempts: 1 }),
  }
}
