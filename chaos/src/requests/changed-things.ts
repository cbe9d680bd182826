// What a PATCH of the document changes: each of its members with values for it, and the acts that change the same thing.
import type { Random } from '../nemesis/random.ts'
import type { ApiAnswer, CheckedApi, Members } from './checked-api.ts'
import { createJob, createSchedule, expectSuccess, otherKind, queue, scheduleMembers } from './subjects.ts'

/** How a change shows afterwards: by each member its value, or whether a value is right. */
export type Shows = Readonly<Record<string, unknown>>

export interface Change {
  readonly send: () => Promise<ApiAnswer>
  readonly shows: Shows
  /** Whether it gives each member that it shows a value, whatever it was before. */
  readonly replaces?: boolean
}

interface Member {
  draw(random: Random): unknown
  /** Default: under its own name. */
  readonly shows?: (value: unknown) => Shows
}

export interface ChangedThing {
  /** Its path in the document. */
  readonly path: string
  readonly members: Readonly<Record<string, Member>>
  /** The members that say what is changed. */
  readonly identity?: readonly string[]
  readonly acts: readonly string[]
  /** Groups of members and acts of which each changes what the others do, so that the last one holds. */
  readonly exclusive?: readonly (readonly string[])[]
  create(api: CheckedApi, n: number, random: Random): Promise<CreatedThing>
}

export interface CreatedThing {
  readonly target: string
  readonly identity?: Members
  read(): Promise<Members>
  act(name: string, process: number): Change
  /** An act after which a change may be refused. */
  readonly ends?: string
}

const numbers = (low: number, high: number): Member => ({ draw: (random) => random.between(low, high) })
const oneOf = (...values: readonly unknown[]): Member => ({ draw: (random) => random.pick(values) })
const instants = (year: number): Member => ({
  draw: (random) => new Date(Date.UTC(year, 0, 1, 0, 0, random.between(0, 86_400))).toISOString(),
})
const objects = (name: string): Member => ({ draw: (random) => ({ [name]: random.between(1, 1_000_000) }) })
const version: Member = { draw: () => 1, shows: (value) => ({ kind_version: value }) }
const paused: Member = { draw: () => true, shows: () => ({ paused_at: isSet }) }

function isSet(value: unknown): boolean {
  return value !== null && value !== undefined
}

const soonMs = 3_600_000
const isSoon = (value: unknown): boolean => Date.parse(String(value)) < Date.now() + soonMs

const jobs: ChangedThing = {
  path: '/jobs/{id}',
  members: {
    priority: numbers(5, 9),
    run_at: instants(2_998),
    max_attempts: numbers(50, 100),
    timeout_ms: numbers(1, 86_400_000),
    weight: numbers(2, 1_000_000),
    metadata: objects('changed'),
    payload: objects('changed'),
    version,
  },
  acts: ['run-now', 'reschedule', 'cancel'],
  exclusive: [['run_at', 'run-now', 'reschedule']],
  create: async (api, n, random) => {
    const key = `changed-${n}`
    const { target } = await createJob(api, random, { key })
    const later = '2997-01-01T00:00:00.000Z'
    const acts: Readonly<
      Record<string, { readonly target: string; readonly body?: object; readonly shows: Shows }>
    > = {
      'run-now': { target: `${target}/run-now`, shows: { run_at: isSoon } },
      reschedule: {
        target: '/jobs/reschedule',
        body: { filter: { queue, key }, run_at: later },
        shows: { run_at: later },
      },
      cancel: { target: `${target}/cancel`, shows: { status: 'cancelled' } },
    }
    return {
      target,
      ends: 'cancel',
      read: () => expectSuccess(api, { method: 'GET', target, process: n }),
      act: (name, process) => {
        const { shows = {}, ...request } = acts[name] ?? { target }
        return { send: () => api.send({ method: 'POST', process, ...request }), shows }
      },
    }
  },
}

const synced: Readonly<Record<string, Member>> = {
  queue: oneOf('moved', 'moved_too'),
  priority: numbers(5, 9),
  max_attempts: numbers(50, 100),
  timeout_ms: numbers(1, 86_400_000),
  retry_policy: { draw: (random) => ({ type: 'fixed', base_ms: random.between(1, 100_000) }) },
  metadata: objects('changed'),
  expires_in_ms: numbers(1, 1_000_000),
  unique: { draw: (random) => ({ key: `u${random.between(1, 100)}`, scope: 'live' }) },
  weight: numbers(2, 1_000_000),
  jitter_ms: numbers(1, 1_000),
  missed: oneOf('all', 'skip'),
  missed_window_ms: numbers(1, 1_000_000),
  overlap: oneOf('skip'),
}

const schedules: ChangedThing = {
  path: '/schedules/{name}',
  members: {
    ...synced,
    kind: oneOf(otherKind),
    payload: objects('changed'),
    version,
    key: oneOf('k1', 'k2'),
    cron: { draw: (random) => `${random.between(0, 59)} 3 29 2 *` },
    time_zone: oneOf('Asia/Tokyo', 'America/New_York'),
    every_ms: numbers(2_000_000_000, 3_000_000_000),
    starts_at: instants(2_990),
    ends_at: instants(2_999),
  },
  acts: ['pause', 'run-now', 'sync'],
  // A new payload has the key of its kind, as in a new schedule.
  exclusive: [
    ['cron', 'every_ms'],
    ['time_zone', 'every_ms'],
    ['payload', 'key'],
    ['kind', 'key'],
  ],
  create: async (api, n, random) => {
    const name = `changed-${n}`
    const { target, source } = await createSchedule(api, name)
    const all = Object.fromEntries(Object.entries(synced).map(([member, { draw }]) => [member, draw(random)]))
    const post = (path: string, process: number, body?: object) => () =>
      api.send({ method: 'POST', target: path, process, body })
    const acts: Readonly<Record<string, (process: number) => Change>> = {
      pause: (process) => ({ send: post(`${target}/pause`, process), shows: { paused_at: isSet } }),
      'run-now': (process) => ({ send: post(`${target}/run-now`, process), shows: { last_job_id: isSet } }),
      sync: (process) => ({
        send: post('/schedules/sync', process, {
          source,
          revision: 2,
          schedules: [{ name, ...scheduleMembers, ...all }],
        }),
        shows: all,
        replaces: true,
      }),
    }
    return {
      target,
      read: () => expectSuccess(api, { method: 'GET', target, process: n }),
      act: (act, process) => acts[act]?.(process) ?? failAct(act),
    }
  },
}

const rate: Member = {
  draw: (random) => ({ count: random.between(1, 1_000), per_ms: 1_000, burst: random.between(1, 100) }),
}
const waiting = numbers(1_000, 1_000_000)
const limitsByScope: Readonly<Record<string, Readonly<Record<string, Member>>>> = {
  queue: {
    max_running: numbers(2, 1_000),
    max_waiting: waiting,
    rate,
    paused,
    fair_by: oneOf('tenant', 'key'),
  },
  key: { max_running: numbers(2, 1_000), rate, paused, weight: numbers(2, 1_000) },
  each_key: { max_running: numbers(2, 1_000), ordered: oneOf({ on_retry: 'continue' }) },
}

const limits = Object.entries(limitsByScope).map(
  ([scope, members]): ChangedThing => ({
    path: '/limits',
    members,
    identity: ['queue', 'scope', 'name'],
    acts: ['set'],
    create: async (api, n, random) => {
      const identity = { queue: `limited-${n}`, scope, ...(scope === 'key' && { name: 'k' }) }
      await expectSuccess(api, { method: 'PUT', target: '/limits', body: { ...identity, max_running: 1 } })
      const rule = Object.fromEntries(Object.entries(members).map(([name, { draw }]) => [name, draw(random)]))
      const shows = Object.entries(members).map(
        ([name, { shows: show }]) => show?.(rule[name]) ?? { [name]: rule[name] },
      )
      return {
        target: '/limits',
        identity,
        read: async () => {
          const listed = await expectSuccess(api, {
            method: 'GET',
            target: `/limits?queue=${identity.queue}`,
            process: n,
          })
          return (listed['data'] as readonly Members[])[0] ?? {}
        },
        act: (_name, process) => ({
          send: () => api.send({ method: 'PUT', target: '/limits', body: { ...identity, ...rule }, process }),
          shows: Object.assign({}, ...shows) as Shows,
          replaces: true,
        }),
      }
    },
  }),
)

export const changedThings: readonly ChangedThing[] = [jobs, schedules, ...limits]

function failAct(name: string): never {
  throw new Error(`there is no act ${name}`)
}
