import { useMemo, useSyncExternalStore } from 'react'
import type { Job, LimitInUse, Queue, QueueKey } from '@queue/client'

// What acts have asked for, laid over what the API has said until it says so itself. What it has said stays as it is below: reads
// that come meanwhile do not show through, and a refusal takes away what was laid over them.

/** A key with the queue that it is of. */
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

/** The first part of the names of the queries that show each sort of rows. */
const rootsOf: Readonly<Record<keyof Rows, string>> = {
  queue: 'queues',
  key: 'queues',
  limit: 'limits',
  job: 'jobs',
}

/** What an act changes of a row, as far as the act itself says it; undefined: the row goes. */
interface ExpectedOf<Of extends keyof Rows> {
  readonly of: Of
  readonly id: string
  readonly change: (row: Rows[Of]) => Rows[Of] | undefined
}

export type Expected = { readonly [Of in keyof Rows]: ExpectedOf<Of> }[keyof Rows]

/** `sent`: it should be answered soon. `late`: it is not yet. `answered`: so it is, and is about to be read. */
export type Stage = 'sent' | 'late' | 'answered'

/** A row as it is shown: with `expected` where an act has changed it and it was not read again since. */
export type Shown<Row> = Row & { readonly expected?: Stage }

/** How long nobody is told that an answer is awaited. */
const lateMs = 200

interface Pending {
  readonly expects: readonly Expected[]
  readonly stage: Stage
  /** Resolves when the API has answered, whatever it says; the same in each stage. */
  readonly answered: Promise<void>
}

/** In the order of the acts: of two that change the same, the later one counts. */
let pending: readonly Pending[] = []
const listeners = new Set<() => void>()

function setPending(next: readonly Pending[]): void {
  pending = next
  for (const listener of listeners) listener()
}

/** What an act has laid over the rows. */
interface Overlay {
  /** Resolves once the acts before it that change the same have been answered: two of them must not overtake each other. */
  readonly turn: Promise<unknown>
  /** The API has done it. What is shown stays until it was read again. */
  readonly confirm: () => void
  /** The API has refused it. */
  readonly revert: () => void
  /** What it has done was read again, and what the acts before it have done on the same. */
  readonly end: () => void
}

const nothing: Overlay = {
  turn: Promise.resolve(),
  confirm: () => undefined,
  revert: () => undefined,
  end: () => undefined,
}

export function layOver(expects: readonly Expected[]): Overlay {
  if (expects.length === 0) return nothing
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

/** Whether a query shows something of what is expected. */
export function showsAny(expects: readonly Expected[]): (query: { queryKey: readonly unknown[] }) => boolean {
  const roots = new Set<unknown>(expects.map(({ of }) => rootsOf[of]))
  return ({ queryKey }) => roots.has(queryKey[0])
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** Rows as acts would have them. The list is the same as long as nothing is awaited of it. */
export function useExpected<Of extends keyof Rows>(
  of: Of,
  rows: readonly Rows[Of][],
): readonly Shown<Rows[Of]>[] {
  const all = useSyncExternalStore(subscribe, () => pending)
  return useMemo(() => laidOver(of, { rows, all }), [of, rows, all])
}

/** The same of one row, which stays where an act would have it go. */
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

function laidOver<Of extends keyof Rows>(
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
