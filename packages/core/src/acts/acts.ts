import { z } from 'zod'
import { isKeyId } from '../access/api-key-text.ts'
import { revokeKey } from '../access/revoke-key.ts'
import type { ActEffects } from './act-effects.ts'
import type { Actor } from '../domain/actor.ts'
import { type ActDatabase, type Perform, throwRefused } from '../audit/perform.ts'
import { type Change, changeOn } from '../audit/write-audit-entry.ts'
import type { Acted } from '../database/acted.ts'
import type { QueueDatabase } from '../database/connect.ts'
import { createIdMint } from '../database/id-mint.ts'
import { type DeadLetterSelection, deadLetterSelectionSchema } from '../reads/dead-letters.ts'
import { deleteDeadLetter } from './delete-dead-letter.ts'
import { QueueError } from '../domain/errors.ts'
import type { Job } from '../domain/job.ts'
import { parseOrThrow } from '../domain/job-definition.ts'
import { isJobId } from '../domain/job-id.ts'
import { duplicateJob } from './duplicate-job.ts'
import { type EditedJob, editJob, type EditOptions, type JobEdit } from './edit-job.ts'
import { runJobNow } from './run-job-now.ts'
import { queueNotifications } from '../enqueue/enqueue.ts'
import type { KindRegistration } from '../kinds/kind-registration.ts'
import { type RegisterPolicy, registerPolicySchema } from '../kinds/register-policy.ts'
import { type RegisteredKind, registerKinds } from '../kinds/register-kinds.ts'
import { retireKind } from '../kinds/retire-kind.ts'
import { type AllOption, allFields, assertSelects, parseActFilter } from './assert-selects.ts'
import { filterToJson } from './filter-json.ts'
import { type ManyActs, manyActs } from './many-acts.ts'
import { type LimitActs, limitActs } from '../flow/limit-acts.ts'
import { pauseQueue, type QueueState, resumeQueue } from '../flow/pause-queue.ts'
import { countCancelled } from '../insight/count-cancelled.ts'
import { cancelJob, type CancelResult } from '../transitions/cancel-job.ts'
import { type ScheduleActs, scheduleActs } from '../schedules/schedules.ts'
import {
  requeueDeadLetter,
  requeueDeadLetters,
  type RequeueRound,
} from '../transitions/requeue-dead-letters.ts'
import { requeueJob, type RequeueOptions } from '../transitions/requeue-job.ts'

export interface DeadLetterActs {
  /**
   * Requeues the job of one dead letter and removes the dead letter. Throws `dead_letter_not_found`, and
   * `unique_conflict` where another job holds its unique key.
   */
  requeue(id: string): Promise<Job>
  /**
   * Requeues up to `requeueBatchMax` jobs at a time, the oldest dead letters first. A full answer means that there may
   * be more: call again. An actor's call has an audit entry for each of its transactions that has found some. Throws
   * `selects_everything` for a selection without a condition, unless `all` is true.
   */
  requeueMany(selection: DeadLetterSelection, options?: AllOption): Promise<Job[]>
  /** Removes one dead letter and leaves its job failed. Throws `dead_letter_not_found`. */
  delete(id: string): Promise<void>
}

export interface KeyActs {
  /** Revokes a key for ever: every API process refuses it within a second. Throws `key_not_found`. */
  revoke(id: string): Promise<void>
}

export interface KindActs {
  /** Registers versions by their JSON Schemas. `Queue.register` registers definitions. */
  register(registrations: readonly KindRegistration[], policy: RegisterPolicy): Promise<RegisteredKind[]>
  /** Retires a kind: the API accepts no further jobs of it, and existing jobs still run. Throws `kind_not_found`. */
  retire(kind: string): Promise<void>
}

/**
 * The acts, which change jobs, queues, schedules, keys and kinds. Each throws `refused` where the database does not
 * allow the change, by a check or a trigger of its owner (the `cause` is PostgreSQL's error).
 */
export interface Acts {
  /** Cancels a waiting job at once, and requests the cancel of a running one. Throws `job_not_found`. */
  cancel(id: string): Promise<CancelResult>
  /**
   * Requeues a failed or cancelled job. Throws `job_not_found`, or `InvalidTransition` in other states; `invalid_job`
   * where its expiry is past and no later one is given; and `unique_conflict` where another job holds its unique key.
   */
  requeue(id: string, options?: RequeueOptions): Promise<Job>
  /** Makes a waiting job due now. Throws `job_not_found`, or `InvalidTransition` in other states. */
  runNow(id: string): Promise<Job>
  /**
   * Enqueues another job like this one, due now and without its keys. Throws `job_not_found`, `InvalidTransition` for a
   * receipt, and `QueueFull`.
   */
  duplicate(id: string): Promise<Job>
  /**
   * Changes a waiting job. Throws `job_not_found`, `InvalidTransition` in other states, `job_changed` where it has
   * changed since the caller has read it, and `InvalidInput`.
   */
  edit(id: string, changes: JobEdit, options?: EditOptions): Promise<EditedJob>
  /** Pauses a queue: no claim from it commits after this has returned. Throws `queue_not_found`. */
  pause(name: string): Promise<QueueState>
  /** Resumes a paused queue. Throws `queue_not_found`. */
  resume(name: string): Promise<QueueState>
  readonly deadLetters: DeadLetterActs
  readonly limits: LimitActs
  readonly schedules: ScheduleActs
  readonly keys: KeyActs
  readonly kinds: KindActs
  readonly many: ManyActs
}

/** Creates the acts. Each notifies the workers that it concerns once it has taken effect. */
export function createActs(perform: Perform, { notifier, counter, full }: ActEffects, by?: Actor): Acts {
  const notifyQueues = (jobs: Job[]): Job[] => {
    notifier.tell(queueNotifications(jobs.map((job) => job.queue)))
    return jobs
  }
  return {
    cancel: async (id) => {
      const {
        isUnclaimed,
        changed: _changed,
        ...result
      } = await throwRefused(
        perform({
          act: 'job.cancel',
          work: (database) => cancelJob(database, existingId(id)),
          changeOf: ({ outcome, job, changed }) =>
            outcome === 'already_terminal' ? undefined : changeOfJob(job, changed),
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
      const job = await throwRefused(
        perform({ act: 'job.requeue', work, changeOf: (requeued) => changeOfJobs([requeued]) }),
      )
      notifyQueues([job])
      return job
    },
    pause: async (name) => {
      const work = (database: QueueDatabase) => pauseQueue(database, name)
      const performed = perform({ act: 'queue.pause', work, changeOf: changeOn(name) })
      return (await throwRefused(performed)).result
    },
    resume: async (name) => {
      const work = (database: QueueDatabase) => resumeQueue(database, name)
      const performed = perform({ act: 'queue.resume', work, changeOf: changeOn(name) })
      const { result } = await throwRefused(performed)
      notifier.tell([{ type: 'queue', queue: name }])
      return result
    },
    deadLetters: deadLetterActs(perform, notifyQueues),
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
  const notifyRescan = <Result extends { readonly queue: string }>(job: Result): Result => {
    // The job may have been due for long, before the scan positions of the workers.
    notifier.tell([{ type: 'rescan', queue: job.queue }])
    return job
  }
  return {
    runNow: async (id) => {
      const work = (database: QueueDatabase) => runJobNow(database, existingId(id))
      const changeOf = ({ result, changed }: Acted<Job>) => changeOfJob(result, changed)
      const performed = await throwRefused(perform({ act: 'job.run_now', work, changeOf }))
      return notifyRescan(performed.result)
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
      return notifyRescan(await throwRefused(perform({ act: 'job.duplicate', work, changeOf })))
    },
    edit: async (id, changes, options) => {
      const work = (database: QueueDatabase) => editJob(database, existingId(id), { changes, options })
      const changeOf = ({ result, changed }: Acted<EditedJob>) => changeOfJob(result.job, changed)
      const { result } = await throwRefused(perform({ act: 'job.edit', work, changeOf }))
      notifyRescan(result.job)
      return result
    },
  }
}

const allSchema = z.strictObject(allFields)

function deadLetterActs(perform: Perform, notifyQueues: (jobs: Job[]) => Job[]): DeadLetterActs {
  return {
    requeue: async (id) => {
      const job = await throwRefused(
        perform({
          act: 'dead_letter.requeue',
          work: (database) => requeueDeadLetter(database, id),
          changeOf: (requeued) => ({ ...changeOfJobs([requeued]), target: id }),
        }),
      )
      notifyQueues([job])
      return job
    },
    requeueMany: async (selection, options = {}) => {
      const checked = parseActFilter(deadLetterSelectionSchema, selection)
      assertSelects(checked, parseOrThrow(allSchema, options, 'invalid_options'))
      const inRound = (work: (database: ActDatabase) => Promise<RequeueRound>): Promise<RequeueRound> =>
        perform({
          act: 'dead_letter.requeue',
          work,
          changeOf: ({ found, jobs }) =>
            found.length === 0 ? undefined : { ...changeOfJobs(jobs), filter: filterToJson(checked) },
        })
      return notifyQueues(await throwRefused(requeueDeadLetters(inRound, checked)))
    },
    delete: async (id) => {
      await throwRefused(
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
      await throwRefused(
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
    register: async (registrations, policy) => {
      const checked = parseOrThrow(registerPolicySchema, policy, 'invalid_options')
      const work = ({ transaction }: ActDatabase) =>
        transaction((inside) => registerKinds(inside, registrations, checked))
      return throwRefused(perform({ act: 'kind.register', work, changeOf: changeOfKinds }))
    },
    retire: async (kind) => {
      const work = ({ transaction }: ActDatabase) => transaction((inside) => retireKind(inside, kind))
      await throwRefused(perform({ act: 'kind.retire', work, changeOf: changeOn(kind) }))
    },
  }
}

function changeOfKinds(registered: readonly RegisteredKind[]): Change {
  const changed = registered.filter(({ outcome }) => outcome === 'new' || outcome === 'replaced')
  const named = changed.length === 0 ? registered : changed
  return { count: changed.length, target: named.map(({ kind, version }) => `${kind}/${version}`).join(' ') }
}

/** The change of a job that the act named. */
function changeOfJob(job: Job, changed: boolean): Change {
  return changed ? changeOfJobs([job]) : { count: 0, target: job.id }
}

function changeOfJobs(jobs: readonly Job[]): Change {
  return { count: jobs.length, jobIds: jobs.map(({ id }) => id) }
}

/** The id, if it has the form of an id. Other text names no job, and must not reach a uuid column. Throws `job_not_found`. */
function existingId(id: string): string {
  if (isJobId(id)) return id
  throw new QueueError('job_not_found', `there is no job ${JSON.stringify(id.slice(0, 64))}`)
}
