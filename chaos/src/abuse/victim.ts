import { Agent, request } from 'node:http'
import { setTimeout as wait } from 'node:timers/promises'

export interface VictimOptions {
  readonly url: string
  readonly key: string
  /** The id of a job that it reads. */
  readonly id: string
}

/** What a client of ten requests a second saw. */
export interface VictimReport {
  /** How long each answer took, in milliseconds, the fastest first. */
  readonly latenciesMs: readonly number[]
  /** The ids of the jobs whose enqueue was acknowledged. */
  readonly enqueued: readonly string[]
  readonly faults: readonly string[]
}

const requestsPerSecond = 10
const email = JSON.stringify({
  kind: 'send_email',
  queue: 'victim',
  payload: { to: 'a@example.com', subject: 's', body: 'b' },
})

/** Reads a job and enqueues one by turns, ten times a second, until the signal aborts. */
export async function runVictim({ url, key, id }: VictimOptions, signal: AbortSignal): Promise<VictimReport> {
  const agent = new Agent({ keepAlive: true })
  const latenciesMs: number[] = []
  const enqueued: string[] = []
  const faults: string[] = []
  const send = async (n: number): Promise<void> => {
    const isRead = n % 2 === 0
    const startedAtMs = performance.now()
    try {
      const { status, text } = await exchange({
        url: new URL(isRead ? `/jobs/${id}` : '/jobs', url),
        method: isRead ? 'GET' : 'POST',
        key,
        agent,
        body: isRead ? undefined : email,
      })
      latenciesMs.push(performance.now() - startedAtMs)
      if (status !== (isRead ? 200 : 201))
        faults.push(`the other client got ${status}: ${text.slice(0, 200)}`)
      else if (!isRead) enqueued.push((JSON.parse(text) as { readonly id: string }).id)
    } catch (error) {
      faults.push(`a connection of the other client ended without an answer: ${String(error)}`)
    }
  }
  const sending: Promise<void>[] = []
  for (let n = 0; !signal.aborted; n += 1) {
    sending.push(send(n))
    await wait(1_000 / requestsPerSecond)
  }
  await Promise.all(sending)
  agent.destroy()
  return { latenciesMs: latenciesMs.toSorted((a, b) => a - b), enqueued, faults }
}

interface Exchange {
  readonly url: URL
  readonly method: string
  readonly key: string
  readonly agent: Agent
  readonly body: string | undefined
}

function exchange({ url, method, key, agent, body }: Exchange) {
  const headers = {
    authorization: `Bearer ${key}`,
    ...(body !== undefined && { 'content-type': 'application/json' }),
  }
  return new Promise<{ readonly status: number; readonly text: string }>((resolve, reject) => {
    const sent = request(url, { method, headers, agent }, (response) => {
      let text = ''
      response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk))
      response.once('end', () => resolve({ status: response.statusCode ?? 0, text })).once('error', reject)
    })
    sent.once('error', reject)
    sent.end(body)
  })
}

/** The latency that 99 of 100 answers did not exceed, in milliseconds. */
export function p99Ms(latenciesMs: readonly number[]): number {
  return latenciesMs[Math.floor(latenciesMs.length * 0.99)] ?? latenciesMs.at(-1) ?? 0
}
