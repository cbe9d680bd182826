import { toRefused } from '@queue/postgres'
import { isKeyId } from './access/api-key-text.ts'
import { revokeKey } from './access/revoke-key.ts'
import type { Actor, AuditedAct } from './audit/actor.ts'
import { type Change, writeAuditEntry } from './audit/write-audit-entry.ts'
import type { ConnectedDatabase, QueueDatabase } from './database/connect.ts'
import { createIdMint } from './database/id-mint.ts'
import type { Notifier } from './database/notifications.ts'
import type { DeadLetterSelection } from './dead-letters/dead-letters.ts'
import { deleteDeadLetter } from './dead-letters/delete-dead-letter.ts'
import { QueueError } from './domain/errors.ts'
import type { Job } from './domain/job.ts'
import { isJobId } from './domain/job-id.ts'
import { duplicateJob } from './edits/duplicate-job.ts'
import { type EditedJob, editJob, type EditOptions, type JobEdit } from './edits/edit-job.ts'
import { runJobNow } from './edits/run-job-now.ts'
import { queueNotifications } from './enqueue.ts'
import type { KindRegistration } from './kinds/kind-registration.ts'
import { type RegisteredKind, registerKinds, type RegisterPolicy } from './kinds/register-kinds.ts'
import { retireKind } from './kinds/retire-kind.ts'
import { filterToJson } from './operations/filter-json.ts'
import { type ManyActs, manyActs } from './operations/many-acts.ts'
import type { FullQueues } from './limits/full-queues.ts'
import { type LimitActs, limitActs } from './limits/limit-acts.ts'
import { pauseQueue, type QueueState, resumeQueue } from './queues/pause-queue.ts'
import { countCancelled } from './stats/count-cancelled.ts'
import type { JobCounter } from './stats/job-counter.ts'
import { cancelJob, type CancelResult } from './transitions/cancel-job.ts'
import { type ScheduleActs, scheduleActs } from './schedules/schedules.ts'
import { requeueDeadLetter, requeueDeadLetters } from './transitions/requeue-dead-letters.ts'
import { requeueJob, type RequeueOptions } from './transitions/requeue-job.ts'

export interface DeadLetterActs {
  /** Requeues the job of one dead letter and removes the dead letter. Throws `dead_letter_not_found`. */
  requeue(id: string): Promise<Job>
  /** Requeues up to `requeueBatchMax` at a time, the oldest first; a full answer means: call again. */
  requeueMany(selection?: DeadLetterSelection): Promise<Job[]>
  /** Removes one dead letter and leaves its job failed. Throws `dead_letter_not_found`. */
  delete(id: string): Promise<void>
}

export interface KeyActs {
  /** Revokes a key for good: every API refuses it within a second. Throws `key_not_found`. */
  revoke(id: string): Promise<void>
}

export interface KindActs {
  /** Registers versions as JSON Schema says them; a definition is registered by `Queue.register`. */
  register(registrations: readonly KindRegistration[], policy: RegisterPolicy): Promise<RegisteredKind[]>
  /** Retires a kind: the API takes no further jobs of it, and those that are there run on. Throws `kind_not_found`. */
  retire(kind: string): Promise<void>
}

/**
 * What changes the course of jobs, queues, schedules, keys and kinds. Each throws `refused` where a check or trigger of the database's owner
 * forbids it (the `cause` is PostgreSQL's error).
 */
export interface Acts {
  /** Cancels a waiting job at once and asks for the cancel of a running one. Throws `job_not_found`. */
  cancel(id: string): Promise<CancelResult>
  /**
   * Gives a failed or cancelled job a new life. Throws `job_not_found`, or `InvalidTransition` in other states; `invalid_job` where
   * its expiry is past and no later one is given.
   */
  requeue(id: string, options?: RequeueOptions): Promise<Job>
  /** Makes a waiting job due now. Throws `job_not_found`, or `InvalidTransition` in other states. */
  runNow(id: string): Promise<Job>
  /** Enqueues another job like this one, without its idempotency key, due now. Throws `job_not_found`, `InvalidTransition` of a receipt, `QueueFull`. */
  duplicate(id: string): Promise<Job>
  /**
   * Changes a waiting job. Throws `job_not_found`, `InvalidTransition` in other states, `job_changed` where it is another one than
   * the caller has read, and `InvalidInput`.
   */
  edit(id: string, changes: JobEdit, options?: EditOptions): Promise<EditedJob>
  /** Stops claims from a queue: none commits after this has answered. Throws `queue_not_found`. */
  pause(name: string): Promise<QueueState>
  /** Lets a paused queue go on. Throws `queue_not_found`. */
  resume(name: string): Promise<QueueState>
  readonly deadLetters: DeadLetterActs
  readonly limits: LimitActs
  readonly schedules: ScheduleActs
  readonly keys: KeyActs
  readonly kinds: KindActs
  readonly many: ManyActs
}

/** Where an act works. A transaction there is one of its own, or the one that the act has with its entry. */
export type ActDatabase = QueueDatabase & Pick<ConnectedDatabase, 'transaction'>

/** An act, and what it has changed by its result; undefined where it had nothing to do. */
interface Performance<Result> {
  readonly act: AuditedAct
  readonly work: (database: ActDatabase) => Promise<Result>
  readonly changeOf: (result: Result) => Change | undefined
}

/** How an act is carried out. */
export type Perform = <Result>(performance: Performance<Result>) => Promise<Result>

/** By its statement alone: an act of a program. */
export function performing(database: ActDatabase): Perform {
  return ({ work }) => work(database)
}

/** In a transaction with the entry that says whose act it was: neither is there without the other. */
export function performingAs(database: Pick<ConnectedDatabase, 'transaction'>, by: Actor): Perform {
  return ({ act, work, changeOf }) =>
    database.transaction(async (inside) => {
      const result = await work({ ...inside, transaction: (part) => part(inside) })
      const change = changeOf(result)
      if (change !== undefined) await writeAuditEntry(inside, { act, by, change })
      return result
    })
}

/** Who is told of acts that have taken effect, and what bounds them. */
export interface ActEffects {
  readonly notifier: Notifier
  /** What takes no more jobs. */
  readonly full: FullQueues
  /** Absent: what is cancelled is not counted. */
  readonly counter?: Pick<JobCounter, 'ended' | 'cancelledUnclaimed' | 'flushSoon'> | undefined
}

/** The acts, each told to the workers that it concerns once it has taken effect. */
export function createActs(perform: Perform, { notifier, counter, full }: ActEffects, by?: Actor): Acts {
  const toQueues = (jobs: Job[]): Job[] => {
    notifier.tell(queueNotifications(jobs.map((job) => job.queue)))
    return jobs
  }
  return {
    cancel: async (id) => {
      const { isUnclaimed, ...result } = await orRefused(
        perform({
          act: 'job.cancel',
          work: (database) => cancelJob(database, existingId(id)),
          changeOf: ({ outcome, job }) => (outcome === 'already_terminal' ? undefined : changeOfJobs([job])),
        }),
      )
      if (result.outcome === 'requested') notifier.tell([{ type: 'cancel', jobId: result.job.id }])
      if (result.outcome === 'cancelled' && counter !== undefined) {
        const { job } = result
        countCancelled({ ...job, cancelledAt: job.finishedAt ?? job.updatedAt, isUnclaimed }, counter)
        counter.flushSoon()
      }
      return result
    },
    ...editActs(perform, { notifier, full }),
    requeue: async (id, options) => {
      const work = (database: ActDatabase) => requeueJob(database, existingId(id), options)
      const job = await orRefused(
        perform({ act: 'job.requeue', work, changeOf: (one) => changeOfJobs([one]) }),
      )
      toQueues([job])
      return job
    },
    pause: (name) =>
      orRefused(
        perform({
          act: 'queue.pause',
          work: (database) => pauseQueue(database, name),
          changeOf: () => ({ count: 1, target: name }),
        }),
      ),
    resume: async (name) => {
      const work = (database: QueueDatabase) => resumeQueue(database, name)
      const changeOf = () => ({ count: 1, target: name })
      const state = await orRefused(perform({ act: 'queue.resume', work, changeOf }))
      notifier.tell([{ type: 'queue', queue: name }])
      return state
    },
    deadLetters: deadLetterActs(perform, toQueues),
    limits: limitActs(perform, notifier),
    schedules: scheduleActs(perform, { notifier, full }),
    keys: keyActs(perform),
    kinds: kindActs(perform),
    many: manyActs(perform, { notifier, counter, full, by }),
  }
}

function editActs(
  perform: Perform,
  { notifier, full }: Pick<ActEffects, 'notifier' | 'full'>,
): Pick<Acts, 'runNow' | 'duplicate' | 'edit'> {
  const mintIds = createIdMint(full.clock)
  const told = <Result extends { readonly queue: string }>(job: Result): Result => {
    // It may have been due for long: a scan has gone past its place.
    notifier.tell([{ type: 'rescan', queue: job.queue }])
    return job
  }
  const ofOne = (job: Job): Change => changeOfJobs([job])
  return {
    runNow: async (id) => {
      const work = (database: QueueDatabase) => runJobNow(database, existingId(id))
      return told(await orRefused(perform({ act: 'job.run_now', work, changeOf: ofOne })))
    },
    duplicate: async (id) => {
      await full.refresh()
      const work = ({ transaction }: ActDatabase) =>
        transaction(async (inside) => {
          const job = await duplicateJob(inside, existingId(id), mintIds)
          full.assertRoom([job])
          return job
        })
      const changeOf = (job: Job): Change => ({ ...changeOfJobs([job]), target: id })
      return told(await orRefused(perform({ act: 'job.duplicate', work, changeOf })))
    },
    edit: async (id, changes, options) => {
      const work = (database: QueueDatabase) => editJob(database, existingId(id), { changes, ...options })
      const edited = await orRefused(
        perform({ act: 'job.edit', work, changeOf: ({ job }) => changeOfJobs([job]) }),
      )
      told(edited.job)
      return edited
    },
  }
}

function deadLetterActs(perform: Perform, toQueues: (jobs: Job[]) => Job[]): DeadLetterActs {
  return {
    requeue: async (id) => {
      const job = await orRefused(
        perform({
          act: 'dead_letter.requeue',
          work: (database) => requeueDeadLetter(database, id),
          changeOf: (one) => ({ ...changeOfJobs([one]), target: id }),
        }),
      )
      toQueues([job])
      return job
    },
    requeueMany: async (selection = {}) =>
      toQueues(
        await orRefused(
          perform({
            act: 'dead_letter.requeue',
            work: (database) => requeueDeadLetters(database, selection),
            changeOf: (jobs) => ({ ...changeOfJobs(jobs), filter: filterToJson(selection) }),
          }),
        ),
      ),
    delete: async (id) => {
      await orRefused(
        perform({
          act: 'dead_letter.delete',
          work: (database) => deleteDeadLetter(database, id),
          changeOf: (jobId) => ({ count: 1, target: id, jobIds: [jobId] }),
        }),
      )
    },
  }
}

function keyActs(perform: Perform): KeyActs {
  return {
    revoke: async (id) => {
      await orRefused(
        perform({
          act: 'key.revoke',
          work: async (database) => {
            const outcome = isKeyId(id) ? await revokeKey(database, id) : undefined
            if (outcome === undefined) throw new QueueError('key_not_found', 'there is no key with this id')
            return outcome
          },
          changeOf: (outcome) => ({ count: outcome === 'revoked' ? 1 : 0, target: id }),
        }),
      )
    },
  }
}

function kindActs(perform: Perform): KindActs {
  return {
    register: (registrations, policy) =>
      orRefused(
        perform({
          act: 'kind.register',
          work: ({ transaction }) => transaction((inside) => registerKinds(inside, registrations, policy)),
          changeOf: changeOfKinds,
        }),
      ),
    retire: (kind) =>
      orRefused(
        perform({
          act: 'kind.retire',
          work: ({ transaction }) => transaction((inside) => retireKind(inside, kind)),
          changeOf: () => ({ count: 1, target: kind }),
        }),
      ),
  }
}

function changeOfKinds(registered: readonly RegisteredKind[]): Change {
  const taken = registered.filter(({ outcome }) => outcome !== 'kept' && outcome !== 'refused')
  return { count: taken.length, target: taken.map(({ kind, version }) => `${kind}/${version}`).join(' ') }
}

function changeOfJobs(jobs: readonly Job[]): Change {
  return { count: jobs.length, jobIds: jobs.map(({ id }) => id) }
}

/** A change that an operator asked for. The database's owner may forbid it by a check or a trigger: `refused`. */
function orRefused<Result>(change: Promise<Result>): Promise<Result> {
  return change.catch((error: unknown) => {
    throw toRefused(error)
  })
}

/** Text that is no id names no job, and must not reach a uuid column. */
function existingId(id: string): string {
  if (isJobId(id)) return id
  throw new QueueError('job_not_found', `there is no job ${JSON.stringify(id.slice(0, 64))}`)
}
