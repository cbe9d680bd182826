import type { ActOnJobs, ActResult, DeadLetterFilter, JobFilter, JobStatus } from '@queue/client'
import { client } from '../api/client.ts'
import { serverPast } from '../shell/clock.ts'
import type { Permission } from '../shell/me.tsx'
import { plural } from '../ui/format.ts'
import type { Mutation } from './act.ts'
import type { ActCode } from './code.ts'
import { cancelWords, each, requeueWords, resultOf } from './job-acts.ts'

/** How an act on many is carried out. */
export interface ManyHow {
  readonly rate?: number
  /** Of a reschedule: the earliest start. */
  readonly run_at?: string
}

/** The same with many: first counted, then done at once, or by workers as an operation. */
export interface ManyAct {
  readonly verb: string
  /** The verb when it is done. */
  readonly past: string
  readonly noun: 'job' | 'dead letter'
  readonly permission: Permission
  /** What comes of it. */
  readonly effect: string
  /** What it leaves alone of what the filter finds. */
  readonly spared: string
  /** Whether nothing takes it back, so that the count has to be typed. */
  readonly isFinal?: boolean
  /** Whether it needs an instant. */
  readonly takesInstant?: boolean
  /** What it is about, as `queue: mail`. */
  readonly about: readonly string[]
  readonly send: (how: ManyHow & { readonly dry_run?: boolean }) => Promise<ActResult>
  readonly code: (how: ManyHow) => ActCode
  /** Takes back what was done at once. What workers carry out has no undo. */
  readonly undo?: (done: ActResult) => Mutation
}

type Verb = 'cancel' | 'requeue' | 'reschedule' | 'delete' | 'erase'

interface Words
  extends Pick<ManyAct, 'verb' | 'past' | 'permission' | 'effect' | 'spared' | 'isFinal' | 'takesInstant'> {
  /** Jobs in other states are none of its business. */
  readonly states: readonly JobStatus[]
}

const words: Readonly<Record<Verb, Words>> = {
  cancel: {
    verb: 'Cancel',
    past: 'Cancelled',
    permission: 'jobs:control',
    effect: 'What waits is cancelled. What runs is asked to stop, and stops at its next safe point.',
    spared: 'Jobs that have ended stay as they are.',
    states: ['queued', 'retrying', 'running'],
  },
  requeue: {
    verb: 'Requeue',
    past: 'Requeued',
    permission: 'jobs:control',
    effect: 'Each is queued anew, with all of its attempts.',
    spared:
      'Jobs that wait, run or have succeeded stay as they are, as do those whose expiry is past or whose unique key another job holds.',
    states: ['failed_permanent', 'cancelled'],
  },
  reschedule: {
    verb: 'Reschedule',
    past: 'Rescheduled',
    permission: 'jobs:control',
    effect: 'Each may start at the new time, and not before.',
    spared: 'Jobs that run or have ended stay as they are.',
    takesInstant: true,
    states: ['queued', 'retrying'],
  },
  delete: {
    verb: 'Delete',
    past: 'Deleted',
    permission: 'jobs:delete',
    effect: 'They go with their attempts, logs and dead letters. This cannot be taken back.',
    spared: 'Running jobs stay.',
    isFinal: true,
    states: ['queued', 'retrying', 'succeeded', 'failed_permanent', 'cancelled'],
  },
  erase: {
    verb: 'Erase',
    past: 'Erased',
    permission: 'jobs:delete',
    effect:
      'They go with their attempts, logs and dead letters, and with what the audit log and the errors show of them. This cannot be taken back.',
    spared: 'Running jobs stay, as do backups, and what handlers have written elsewhere.',
    isFinal: true,
    states: ['queued', 'retrying', 'succeeded', 'failed_permanent', 'cancelled'],
  },
}

const senders: Readonly<Record<Exclude<Verb, 'reschedule'>, (body: ActOnJobs) => Promise<ActResult>>> = {
  cancel: (body) => client.cancelJobs(body),
  requeue: (body) => client.requeueJobs(body),
  delete: (body) => client.deleteJobs(body),
  erase: (body) => client.eraseJobs(body),
}

/** An instant long past, for a dry run that has none yet: it is not written. */
const anyInstant = '2000-01-01T00:00:00Z'

/** What can be done with the jobs of a filter, of those in the state that it names. */
export function jobsActs(filter: JobFilter, verbs = Object.keys(words) as readonly Verb[]): ManyAct[] {
  // With a later instant the filter would find what comes after the count.
  const frozen = { ...filter, created_before: filter.created_before ?? serverPast() }
  const { status } = filter
  return verbs
    .filter((verb) => status === undefined || words[verb].states.includes(status))
    .map((verb) => jobsAct(verb, { about: aboutOf(filter), frozen }))
}

interface Target {
  readonly about: readonly string[]
  /** Only what was there when it was counted: nobody has seen what comes later. */
  readonly frozen: JobFilter
}

function jobsAct(verb: Verb, { about, frozen: filter }: Target): ManyAct {
  const undo = undoes[verb]
  const { states: _states, ...shown } = words[verb]
  return {
    ...shown,
    noun: 'job',
    about,
    send: (how) =>
      verb === 'reschedule'
        ? client.rescheduleJobs({ filter, ...how, run_at: how.run_at ?? anyInstant })
        : senders[verb]({ filter, ...how }),
    code: (how) => codeOf(`/jobs/${verb}`, { call: `${verb}Jobs`, body: { filter, ...how } }),
    ...(undo !== undefined && { undo }),
  }
}

type Undo = NonNullable<ManyAct['undo']>

const requeueThem: Undo = ({ job_ids: ids }) => ({
  doing: 'Requeuing them',
  run: async () => resultOf(requeueWords, await each(named(ids), (id) => client.requeue(id))),
})
const cancelThem: Undo = ({ job_ids: ids }) => ({
  doing: 'Cancelling them',
  run: async () => resultOf(cancelWords, await each(named(ids), (id) => client.cancel(id))),
})

/** At once and in one transaction, each to the instant that it had. */
const putThemBack: Undo = ({ previous }) => ({
  doing: 'Putting them back',
  run: async () => {
    const { count, skipped } = await client.undoReschedule({ jobs: previous })
    const text = `${plural(count, 'job')} may start when they could before.`
    return skipped === 0
      ? { text }
      : {
          text: `${text} ${plural(skipped, 'job')} changed since, and ${skipped === 1 ? 'stays' : 'stay'}.`,
          failed: count === 0,
        }
  },
})
const undoes: Readonly<Partial<Record<Verb, Undo>>> = {
  cancel: requeueThem,
  requeue: cancelThem,
  reschedule: putThemBack,
}

function named(ids: readonly string[]): { readonly id: string }[] {
  return ids.map((id) => ({ id }))
}

export function purgeAct(queue: string): ManyAct {
  return {
    verb: 'Purge',
    past: 'Purged',
    noun: 'job',
    permission: 'jobs:delete',
    effect: `What waits in ${queue} now is removed, with its attempts. This cannot be taken back.`,
    spared: 'Jobs of the queue that run or have ended stay.',
    isFinal: true,
    about: [`queue: ${queue}`, 'queued or retrying'],
    send: (how) => client.purge(queue, how),
    code: (how) => ({
      method: 'POST',
      path: `/queues/${encodeURIComponent(queue)}/purge`,
      body: how,
      typescript: `await client.purge(${JSON.stringify(queue)}, ${JSON.stringify(how)})`,
    }),
  }
}

/** All that the filter lets through, of the dead letters that were there when they were counted. */
export function requeueLettersAct(filter: DeadLetterFilter): ManyAct {
  const frozen = {
    ...filter,
    dead_lettered_before: filter.dead_lettered_before ?? serverPast(),
  }
  return {
    verb: 'Requeue',
    past: 'Requeued',
    noun: 'dead letter',
    permission: 'dead_letters:requeue',
    effect: 'Their jobs are queued anew with all of their attempts, and the dead letters go away.',
    spared: 'Those whose expiry is past, or whose unique key another job holds, stay.',
    about: aboutOf(filter),
    send: (how) => client.requeueDeadLetters({ ...frozen, ...how }),
    code: (how) =>
      codeOf('/dead-letters/requeue', { call: 'requeueDeadLetters', body: { ...frozen, ...how } }),
    undo: cancelThem,
  }
}

function codeOf(path: string, { call, body }: { readonly call: string; readonly body: unknown }): ActCode {
  return { method: 'POST', path, body, typescript: `await client.${call}(${JSON.stringify(body)})` }
}

/** A filter as somebody reads it. */
export function aboutOf(filter: object): string[] {
  return Object.entries(filter as Readonly<Record<string, unknown>>).flatMap(([name, value]) => {
    if (value === undefined) return []
    if (typeof value === 'string') return [`${name}: ${value}`]
    if (Array.isArray(value)) return value.map((one) => `${name}: ${String(one)}`)
    if (typeof value !== 'object' || value === null) return [`${name}: ${JSON.stringify(value)}`]
    return aboutOf(value).map((member) => `${name}.${member}`)
  })
}

/** As `1 204 jobs`, or `100 000 jobs or more`. */
export function someOf({ noun }: ManyAct, { count, is_least: isLeast }: ActResult): string {
  return `${plural(count, noun)}${isLeast ? ' or more' : ''}`
}
