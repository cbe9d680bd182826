import { useMemo, useSyncExternalStore } from 'react'
import type { Job, LimitInUse, Queue, QueueKey } from '@queue/client'

// Optimistic updates: the expected results of actions are an overlay on the rows that the API has returned, until it returns the change
// itself. Polls do not change the overlay, and a refusal removes it.

/** A key with its queue. */
export interface KeyOfQueue extends QueueKey {
  readonly queue: string
}

interface Rows {
  readonly queue: Queue
  readonly key: KeyOfQueue
  readonly limit: LimitInUse
  readonly job: Job
}

const idsOf: { readonly [Of in keyof Rows]: (row: Rows[Of]) => string } = {
  queue: ({ name }) => name,
  key: ({ queue, key }) => keyId(queue, key ?? ''),
  limit: limitId,
  job: ({ id }) => id,
}

export function keyId(queue: string, key: string): string {
  return `${queue} ${key}`
}

export function limitId({
  queue,
  scope,
  name,
}: Pick<LimitInUse, 'queue' | 'scope'> & { name?: string | null }): string {
  return `${queue} ${scope} ${name ?? ''}`
}

/** The first part of the query keys that show each type of row. */
const rootsOf: Readonly<Record<keyof Rows, string>> = {
  queue: 'queues',
  key: 'queues',
  limit: 'limits',
  job: 'jobs',
}

/** The expected change of a row by an action; undefined if the row is removed. */
interface ExpectedOf<Of extends keyof Rows> {
  readonly of: Of
  readonly id: string
  readonly change: (row: Rows[Of]) => Rows[Of] | undefined
}

export type Expected = { readonly [Of in keyof Rows]: ExpectedOf<Of> }[keyof Rows]

/** `sent`: waiting for a response. `late`: the response takes long. `answered`: confirmed, but not fetched yet. */
export type Stage = 'sent' | 'late' | 'answered'

/** A row as shown. `expected` is set if an action changed it and it has not been fetched since. */
export type Shown<Row> = Row & { readonly expected?: Stage }

/** How long an action can take before its row is marked as not confirmed. */
const lateMs = 200

interface Pending {
  readonly expects: readonly Expected[]
  readonly stage: Stage
  /** Resolves when the API has responded, with whatever result. It is the same promise in each stage. */
  readonly answered: Promise<void>
}

/** In the order of the actions: a later change of the same row wins. */
let pending: readonly Pending[] = []
const listeners = new Set<() => void>()

function setPending(next: readonly Pending[]): void {
  pending = next
  for (const listener of listeners) listener()
}

/** The handle of one optimistic update. */
interface Overlay {
  /** Resolves once the API has responded to earlier actions on the same rows, so that requests are not reordered. */
  readonly turn: Promise<unknown>
  /** The API has confirmed the action. The overlay stays until the rows are fetched again. */
  readonly confirm: () => void
  /** The API has refused the action. */
  readonly revert: () => void
  /** The rows were fetched again, so this overlay and earlier ones on the same rows end. */
  readonly end: () => void
}

const emptyOverlay: Overlay = {
  turn: Promise.resolve(),
  confirm: () => undefined,
  revert: () => undefined,
  end: () => undefined,
}

export function addOverlay(expects: readonly Expected[]): Overlay {
  if (expects.length === 0) return emptyOverlay
  const targets = new Set(expects.map(targetOf))
  const before = pending
    .filter((one) => one.expects.some((other) => targets.has(targetOf(other))))
    .map((one) => one.answered)
  const { promise: answered, resolve } = Promise.withResolvers<void>()
  const move = (stage: Stage): void =>
    setPending(pending.map((one) => (one.answered === answered ? { ...one, stage } : one)))
  const drop = (gone: readonly Promise<void>[]): void =>
    setPending(pending.filter((one) => !gone.includes(one.answered)))
  const timer = setTimeout(() => move('late'), lateMs)
  const settle = (): void => {
    clearTimeout(timer)
    resolve()
  }
  setPending([...pending, { expects, stage: 'sent', answered }])
  return {
    turn: Promise.all(before),
    confirm: () => {
      settle()
      move('answered')
    },
    revert: () => {
      settle()
      drop([answered])
    },
    end: () => drop([...before, answered]),
  }
}

function targetOf({ of, id }: Expected): string {
  return `${of} ${id}`
}

/** A predicate for queries that show rows with an expected change. */
export function showsAny(expects: readonly Expected[]): (query: { queryKey: readonly unknown[] }) => boolean {
  const roots = new Set<unknown>(expects.map(({ of }) => rootsOf[of]))
  return ({ queryKey }) => roots.has(queryKey[0])
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** Rows with the expected changes of pending actions. Without any, the array is unchanged. */
export function useExpected<Of extends keyof Rows>(
  of: Of,
  rows: readonly Rows[Of][],
): readonly Shown<Rows[Of]>[] {
  const all = useSyncExternalStore(subscribe, () => pending)
  return useMemo(() => withExpected(of, { rows, all }), [of, rows, all])
}

/** One row with its expected changes. It stays if an action is expected to remove it. */
export function useExpectedOne<Of extends keyof Rows>(of: Of, row: Rows[Of]): Shown<Rows[Of]> {
  const rows = useMemo(() => [row], [row])
  return useExpected(of, rows)[0] ?? row
}

function isOf<Of extends keyof Rows>(of: Of, one: Expected): one is Expected & ExpectedOf<Of> {
  return one.of === of
}

interface Layers<Row> {
  readonly rows: readonly Row[]
  readonly all: readonly Pending[]
}

function withExpected<Of extends keyof Rows>(
  of: Of,
  { rows, all }: Layers<Rows[Of]>,
): readonly Shown<Rows[Of]>[] {
  const changes = new Map<string, { readonly stage: Stage; readonly change: ExpectedOf<Of>['change'] }[]>()
  for (const { expects, stage } of all) {
    for (const { id, change } of expects.filter((one) => isOf(of, one))) {
      changes.set(id, [...(changes.get(id) ?? []), { stage, change }])
    }
  }
  if (changes.size === 0) return rows
  return rows.flatMap((row) => {
    let shown: Shown<Rows[Of]> | undefined = row
    for (const { stage, change } of changes.get(idsOf[of](row)) ?? []) {
      const changed: Rows[Of] | undefined = shown && change(shown)
      shown = changed && { ...changed, expected: stage }
    }
    return shown === undefined ? [] : [shown]
  })
}
