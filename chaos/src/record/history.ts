import { createReadStream, createWriteStream, type WriteStream } from 'node:fs'
import { once } from 'node:events'
import { createInterface } from 'node:readline'

/** What the clients asked for, and the nemesis did: one line of JSON each, in the order in which it happened. */
export type HistoryEvent = {
  /** Milliseconds since the history began. */
  readonly atMs: number
} & (ClientEvent | NemesisEvent)

/** An operation begins with `invoke` and has at most one end; without an end it is unknown, as after `unknown`. */
export interface ClientEvent {
  readonly type: 'invoke' | 'ok' | 'fail' | 'unknown'
  readonly op: 'enqueue' | 'cancel' | 'requeue'
  /** The client's own names of the jobs: `payload.key`. */
  readonly keys: readonly string[]
  /** The jobs that an `ok` has answered, in the order of the keys. */
  readonly ids?: readonly string[]
  /** What an `ok` has said, or why it failed. */
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
  /** Resolves when all of it is in the file. Idempotent. */
  close(): Promise<void>
}

export function createHistory(path: string): History {
  const file: WriteStream = createWriteStream(path)
  const beganMs = performance.now()
  let closed: Promise<unknown> | undefined
  return {
    path,
    write: (event) => {
      file.write(`${JSON.stringify({ atMs: Math.round(performance.now() - beganMs), ...event })}\n`)
    },
    close: async () => {
      closed ??= once(file.end(), 'close')
      await closed
    },
  }
}

/** What the clients know of one job. */
export interface Fate {
  readonly key: string
  /** `unknown` also while there is no answer. */
  readonly enqueue: 'ok' | 'fail' | 'unknown'
  /** The id that was answered. */
  readonly id: string | undefined
  /** True when a cancel was answered with `cancelled`: it had not begun, and never will. */
  readonly cancelled: boolean
}

/** The fates of all jobs in a history file, by key. */
export async function readFates(path: string): Promise<ReadonlyMap<string, Fate>> {
  const fates = new Map<string, Fate>()
  for await (const line of createInterface({ input: createReadStream(path) })) {
    const event = JSON.parse(line) as HistoryEvent
    if (event.type === 'nemesis') continue
    for (const [index, key] of event.keys.entries()) {
      fates.set(key, after(fates.get(key) ?? unknownFate(key), event, event.ids?.[index]))
    }
  }
  return fates
}

function unknownFate(key: string): Fate {
  return { key, enqueue: 'unknown', id: undefined, cancelled: false }
}

function after(fate: Fate, event: ClientEvent, id: string | undefined): Fate {
  switch (event.op) {
    case 'enqueue':
      if (event.type === 'invoke' || fate.enqueue === 'ok') return fate
      return { ...fate, enqueue: event.type, id: event.type === 'ok' ? id : fate.id }
    case 'cancel':
      return event.type === 'ok' && event.note === 'cancelled' ? { ...fate, cancelled: true } : fate
    case 'requeue':
      return event.type === 'fail' ? fate : { ...fate, cancelled: false }
  }
}
