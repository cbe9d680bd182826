import type { ActOnJobs, ActResult, DeadLetterFilter, JobFilter, JobStatus } from '@queue/client'
import { client } from '../api/client.ts'
import { serverPast } from '../shell/clock.ts'
import type { Permission } from '../shell/me.tsx'
import { plural } from '../ui/format.ts'
import type { Mutation } from './act.ts'
import type { ActCode } from './code.ts'
import { restoredText, undoCancelOf, undoRequeueOf } from './job-acts.ts'

/** The options of a bulk action. */
export interface ManyHow {
  readonly rate?: number
  /** The new earliest start, for a reschedule. */
  readonly run_at?: string
}

/** A bulk action: a dry run first, then it runs at once, or by workers as an operation. */
export interface ManyAct {
  readonly verb: string
  /** The past tense of the verb. */
  readonly past: string
  readonly noun: 'job' | 'dead letter'
  readonly permission: Permission
  /** The effect on each object. */
  readonly effect: string
  /** Which matching objects it skips. */
  readonly skips: string
  /** Whether it cannot be undone, so that the user must type the count. */
  readonly isFinal?: boolean
  /** Whether it needs a time. */
  readonly takesInstant?: boolean
  /** The filter as texts, as `queue: mail`. */
  readonly filterTexts: readonly string[]
  readonly send: (how: ManyHow & { readonly dry_run?: boolean }) => Promise<ActResult>
  readonly code: (how: ManyHow) => ActCode
  /** Undoes an action that ran at once; undefined: it changed nothing to restore. An operation cannot be undone. */
  readonly undo?: (done: ActResult) => Mutation | undefined
}

type Verb = 'cancel' | 'requeue' | 'reschedule' | 'delete' | 'erase'

interface Words
  extends Pick<ManyAct, 'verb' | 'past' | 'permission' | 'effect' | 'skips' | 'isFinal' | 'takesInstant'> {
  /** The states of jobs that it changes. */
  readonly states: readonly JobStatus[]
}

const wordsByVerb: Readonly<Record<Verb, Words>> = {
  cancel: {
    verb: 'Cancel',
    past: 'Cancelled',
    permission: 'jobs:control',
    effect: 'Cancels waiting jobs. Running jobs are asked to stop, and stop at their next safe point.',
    skips: 'Skips ended jobs.',
    states: ['queued', 'retrying', 'running'],
  },
  requeue: {
    verb: 'Requeue',
    past: 'Requeued',
    permission: 'jobs:control',
    effect: 'Requeued jobs get all attempts again.',
    skips:
      'Skips waiting, running and succeeded jobs, expired jobs, and jobs whose unique key another job holds.',
    states: ['failed_permanent', 'cancelled'],
  },
  reschedule: {
    verb: 'Reschedule',
    past: 'Rescheduled',
    permission: 'jobs:control',
    effect: 'Jobs can start at the new time, and not earlier.',
    skips: 'Skips running and ended jobs.',
    takesInstant: true,
    states: ['queued', 'retrying'],
  },
  delete: {
    verb: 'Delete',
    past: 'Deleted',
    permission: 'jobs:delete',
    effect: 'Deletes the jobs with their attempts, logs and dead letters. This cannot be undone.',
    skips: 'Skips running jobs.',
    isFinal: true,
    states: ['queued', 'retrying', 'succeeded', 'failed_permanent', 'cancelled'],
  },
  erase: {
    verb: 'Erase',
    past: 'Erased',
    permission: 'jobs:delete',
    effect:
      'Deletes the jobs with their attempts, logs and dead letters, and removes their data from the audit log and the error groups. This cannot be undone.',
    skips: 'Skips running jobs. Backups and data that handlers wrote elsewhere are not erased.',
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

/** A past instant for a dry run without a time yet. A dry run does not write it. */
const anyInstant = '2000-01-01T00:00:00Z'

/** The bulk actions for the jobs of a filter. Actions that do not apply to the state of the filter are left out. */
export function jobsActs(filter: JobFilter, verbs = Object.keys(wordsByVerb) as readonly Verb[]): ManyAct[] {
  // Freezes the filter, so that it does not find jobs that are created after the dry run.
  const frozen = { ...filter, created_before: filter.created_before ?? serverPast() }
  const filterTexts = filterTextsOf(filter)
  const { status } = filter
  return verbs
    .filter((verb) => status === undefined || wordsByVerb[verb].states.includes(status))
    .map((verb) => jobsAct(verb, { filterTexts, frozen }))
}

interface Target {
  readonly filterTexts: readonly string[]
  /** Only finds jobs that existed at the dry run. */
  readonly frozen: JobFilter
}

function jobsAct(verb: Verb, { filterTexts, frozen: filter }: Target): ManyAct {
  const target = { filter, ...allOf(filterTexts) }
  const undo = undoByVerb[verb]
  const { states: _states, ...shown } = wordsByVerb[verb]
  return {
    ...shown,
    noun: 'job',
    filterTexts,
    send: (how) =>
      verb === 'reschedule'
        ? client.rescheduleJobs({ ...target, ...how, run_at: how.run_at ?? anyInstant })
        : senders[verb]({ ...target, ...how }),
    code: (how) => codeOf(`/jobs/${verb}`, { call: `${verb}Jobs`, body: { ...target, ...how } }),
    ...(undo !== undefined && { undo }),
  }
}

/** The user who has chosen no condition acts on everything, and has seen `all` in the dialog. */
function allOf(filterTexts: readonly string[]): { readonly all?: true } {
  return filterTexts.length === 0 ? { all: true } : {}
}

type Undo = NonNullable<ManyAct['undo']>

/** The jobs wait again as they did, in one transaction. */
const undoCancel: Undo = ({ cancelled }) => (cancelled.length === 0 ? undefined : undoCancelOf(cancelled))

/** The jobs end again as they had ended, with their dead letters, in one transaction. */
const undoRequeue: Undo = ({ requeued }) => (requeued.length === 0 ? undefined : undoRequeueOf(requeued))

/** Restores the previous start of each job, in one transaction. */
const undoReschedule: Undo = ({ previous }) => ({
  doing: 'Restoring the start times',
  run: async () => {
    const { count, skipped } = await client.undoReschedule({ jobs: previous })
    return restoredText(`Start time of ${plural(count, 'job')} restored.`, { count, skipped })
  },
})
const undoByVerb: Readonly<Partial<Record<Verb, Undo>>> = {
  cancel: undoCancel,
  requeue: undoRequeue,
  reschedule: undoReschedule,
}

export function purgeAct(queue: string): ManyAct {
  return {
    verb: 'Purge',
    past: 'Purged',
    noun: 'job',
    permission: 'jobs:delete',
    effect: `Deletes all waiting jobs of queue ${queue} with their attempts. This cannot be undone.`,
    skips: 'Skips running and ended jobs.',
    isFinal: true,
    filterTexts: [`queue: ${queue}`, 'queued or retrying'],
    send: (how) => client.purge(queue, how),
    code: (how) => ({
      method: 'POST',
      path: `/queues/${encodeURIComponent(queue)}/purge`,
      body: how,
      typescript: `await client.purge(${JSON.stringify(queue)}, ${JSON.stringify(how)})`,
    }),
  }
}

/** Requeues the dead letters of a filter that existed at the dry run. */
export function requeueDeadLettersAct(filter: DeadLetterFilter): ManyAct {
  const filterTexts = filterTextsOf(filter)
  const frozen = {
    ...filter,
    dead_lettered_before: filter.dead_lettered_before ?? serverPast(),
    ...allOf(filterTexts),
  }
  return {
    verb: 'Requeue',
    past: 'Requeued',
    noun: 'dead letter',
    permission: 'dead_letters:requeue',
    effect: 'Their jobs are queued again with all attempts. The dead letters are removed.',
    skips: 'Skips expired jobs, and jobs whose unique key another job holds.',
    filterTexts,
    send: (how) => client.requeueDeadLetters({ ...frozen, ...how }),
    code: (how) =>
      codeOf('/dead-letters/requeue', { call: 'requeueDeadLetters', body: { ...frozen, ...how } }),
    undo: undoRequeue,
  }
}

function codeOf(path: string, { call, body }: { readonly call: string; readonly body: unknown }): ActCode {
  return { method: 'POST', path, body, typescript: `await client.${call}(${JSON.stringify(body)})` }
}

/** A filter as texts, one per condition. */
export function filterTextsOf(filter: object): string[] {
  return Object.entries(filter as Readonly<Record<string, unknown>>).flatMap(([name, value]) => {
    if (value === undefined) return []
    if (typeof value === 'string') return [`${name}: ${value}`]
    if (Array.isArray(value)) return value.map((one) => `${name}: ${String(one)}`)
    if (typeof value !== 'object' || value === null) return [`${name}: ${JSON.stringify(value)}`]
    return filterTextsOf(value).map((member) => `${name}.${member}`)
  })
}

/** As `1 204 jobs`, or `100 000 jobs or more`. */
export function countText({ noun }: ManyAct, { count, is_least: isLeast }: ActResult): string {
  return `${plural(count, noun)}${isLeast ? ' or more' : ''}`
}
