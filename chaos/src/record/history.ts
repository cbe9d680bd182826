import { createReadStream, createWriteStream, type WriteStream } from 'node:fs'
import { once } from 'node:events'
import { createInterface } from 'node:readline'

/** The operations of the clients and the nemesis: one line of JSON each, in the order in which they happened. */
export type HistoryEvent = {
  /** Milliseconds since the history began. */
  readonly atMs: number
} & (ClientEvent | NemesisEvent)

/** An operation begins with `invoke` and has at most one end. Without an end its outcome is unknown, as after `unknown`. */
export interface ClientEvent {
  readonly type: 'invoke' | 'ok' | 'fail' | 'unknown'
  readonly op: 'enqueue' | 'cancel' | 'requeue'
  /** The client's own keys of the jobs: `payload.key`. */
  readonly keys: readonly string[]
  /** For `ok`, the ids of the jobs in the order of the keys. */
  readonly ids?: readonly string[]
  /** The answer of an `ok`, or the reason of a failure. */
  readonly note?: string
}

export interface NemesisEvent {
  readonly type: 'nemesis'
  readonly act: string
  readonly target?: string
}

export interface History {
  readonly path: string
  write(event: ClientEvent | NemesisEvent): void
  /** Resolves when all events are in the file. Idempotent. */
  close(): Promise<void>
}

export function createHistory(path: string): History {
  const file: WriteStream = createWriteStream(path)
  const beganMs = performance.now()
  let closed: Promise<unknown> | undefined
  return {
    path,
    write: (event) => {
      // A run that fails is closed while clients still wait for answers. Its failure is the one to report.
      if (closed !== undefined) return
      file.write(`${JSON.stringify({ atMs: Math.round(performance.now() - beganMs), ...event })}\n`)
    },
    close: async () => {
      closed ??= once(file.end(), 'close')
      await closed
    },
  }
}

/** What the clients know about one job. */
export interface ClientOutcome {
  readonly key: string
  /** `unknown` also if there is no answer. */
  readonly enqueue: 'ok' | 'fail' | 'unknown'
  /** The id in the answer. */
  readonly id: string | undefined
  /** Whether a cancel was answered with `cancelled`: the job had not started and never will. */
  readonly cancelled: boolean
}

/** What the clients know about all jobs in a history file, by key. */
export async function readClientOutcomes(path: string): Promise<ReadonlyMap<string, ClientOutcome>> {
  const outcomes = new Map<string, ClientOutcome>()
  for await (const line of createInterface({ input: createReadStream(path) })) {
    const event = JSON.parse(line) as HistoryEvent
    if (event.type === 'nemesis') continue
    for (const [index, key] of event.keys.entries()) {
      outcomes.set(key, afterEvent(outcomes.get(key) ?? unknownOutcome(key), event, event.ids?.[index]))
    }
  }
  return outcomes
}

function unknownOutcome(key: string): ClientOutcome {
  return { key, enqueue: 'unknown', id: undefined, cancelled: false }
}

function afterEvent(outcome: ClientOutcome, event: ClientEvent, id: string | undefined): ClientOutcome {
  switch (event.op) {
    case 'enqueue':
      if (event.type === 'invoke' || outcome.enqueue === 'ok') return outcome
      return { ...outcome, enqueue: event.type, id: event.type === 'ok' ? id : outcome.id }
    case 'cancel':
      return event.type === 'ok' && event.note === 'cancelled' ? { ...outcome, cancelled: true } : outcome
    case 'requeue':
      return event.type === 'fail' ? outcome : { ...outcome, cancelled: false }
  }
}
