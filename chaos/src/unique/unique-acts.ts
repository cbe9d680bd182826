// The acts on jobs with unique keys, and what each answer says about a job.
import { QueueError, type Queue } from '@queue/core'
import { carryOutOperation, pruneJobs, databaseOf } from '@queue/core/internal'
import type { JobClaim } from '../checker/check-unique.ts'
import type { Random } from '../nemesis/random.ts'
import type { KeyState } from '../record/key-log.ts'

/** What an act says about a job; `heldFor`: another job held its key, so the act was refused. */
export type Said =
  | Pick<JobClaim, 'jobId' | 'says' | 'by' | 'is'>
  | { readonly jobId: string; readonly heldFor: string }

export interface Target {
  readonly jobId: string
  readonly group: string
  readonly random: Random
}

/** An act, on the job or the group of the target. */
export type UniqueAct = (queue: Queue, target: Target) => Promise<readonly Said[]>

const isEnded = ({ status }: KeyState): boolean =>
  status === 'succeeded' || status === 'failed_permanent' || status === 'cancelled'
const isCancelled = ({ status, cancelRequested }: KeyState): boolean =>
  status === 'cancelled' || cancelRequested
const isQueued = ({ status }: KeyState): boolean => status === 'queued'
const isWaiting = ({ status }: KeyState): boolean => status === 'queued' || status === 'retrying'
const isGone = ({ status }: KeyState): boolean => status === null
const isRequeueable = ({ status }: KeyState): boolean =>
  status === 'failed_permanent' || status === 'cancelled'
/** An expiry that has passed by the end of the call is not later than the state's check. */
const hasExpiry = ({ expiresMs }: KeyState): boolean => expiresMs !== null

const requeued = { says: 'was requeued', by: 'made', is: isQueued } as const
const restored = { says: 'waited again', by: 'made', is: isWaiting } as const
const cancelled = { says: 'was cancelled', by: 'made', is: isCancelled } as const

const outcomesOfCancel = {
  cancelled,
  // An earlier cancel may have requested it. Then this one changes nothing.
  requested: { says: 'was requested to be cancelled', by: 'found', is: isCancelled },
  already_terminal: { says: 'had ended', by: 'found', is: isEnded },
} as const

export const uniqueActs: Readonly<Record<string, UniqueAct>> = {
  requeue: (queue, { jobId, random }) =>
    onOne(jobId, {
      act: async () => {
        await queue.requeue(jobId, random.chance(0.3) ? { expiresInMs: 50 } : {})
        return requeued
      },
      refusedWhere: (state) => !isRequeueable(state) || hasExpiry(state),
    }),
  cancel: (queue, { jobId }) =>
    onOne(jobId, {
      act: async () => {
        return outcomesOfCancel[(await queue.cancel(jobId)).outcome]
      },
      refusedWhere: () => false,
    }),
  edit: (queue, { jobId, random }) =>
    onOne(jobId, {
      act: async () => {
        await queue.edit(jobId, { priority: random.between(0, 9) })
        return { says: 'was edited', by: 'made', is: isWaiting }
      },
      refusedWhere: (state) => !isWaiting(state) || hasExpiry(state),
    }),
  runNow: (queue, { jobId }) =>
    onOne(jobId, {
      act: async () => {
        await queue.runNow(jobId)
        // A job that is due already stays as it is.
        return { says: 'was due or made due', by: 'found', is: isWaiting }
      },
      refusedWhere: (state) => !isWaiting(state) || hasExpiry(state),
    }),
  'requeue of a dead letter': async (queue, { random }) => {
    const { deadLetters } = await queue.deadLetters.list({ limit: 20 })
    if (deadLetters.length === 0) return []
    const { id, jobId } = random.pick(deadLetters)
    const requeue = queue.deadLetters.requeue(id).then((): Said[] => [{ jobId, ...requeued }])
    return requeue.catch((error: unknown) => {
      const code = codeOf(error)
      if (code === 'unique_conflict') return [{ jobId, heldFor: 'requeue of its dead letter' }]
      // The job of a dead letter may be gone, and another act may have taken the dead letter.
      if (code === 'dead_letter_not_found') return []
      throw error
    })
  },
  'requeue of dead letters': async (queue) =>
    (await queue.deadLetters.requeueMany({}, { all: true })).map(({ id: jobId }) => ({ jobId, ...requeued })),
  'requeue of many': async (queue, { group, random }) => {
    const status = random.chance(0.5) ? 'failed_permanent' : 'cancelled'
    return ofMany(await queue.many.requeue({ status, metadata: { group } }), requeued)
  },
  'cancel of many': async (queue, { group }) =>
    ofMany(await queue.many.cancel({ metadata: { group } }), cancelled),
  'cancel of many and its undo': async (queue, { group }) => {
    const result = await queue.many.cancel({ metadata: { group } })
    if (result.outcome !== 'done' || result.cancelled.length === 0) return ofMany(result, cancelled)
    const undone = await queue.many.undoCancel(result.cancelled).catch((error: unknown) => {
      if (codeOf(error) === 'unique_conflict') return undefined
      throw error
    })
    return [...ofMany(result, cancelled), ...(undone === undefined ? [] : ofMany(undone, restored))]
  },
  delete: async (queue, { group, random }) => {
    const remove = random.chance(0.5) ? queue.many.delete : queue.many.erase
    await remove({ metadata: { group } })
    return []
  },
  'batch of an operation': async (queue) => {
    await carryOutOperation(databaseOf(queue))
    return []
  },
  prune: async (queue, { random }) => {
    const retention = { succeededMs: random.between(0, 50), cancelledMs: 100, failedMs: 200, keyMs: null }
    await pruneJobs(databaseOf(queue), retention, null)
    return []
  },
}

type Done = Omit<Exclude<Said, { readonly heldFor: string }>, 'jobId'>

interface ActOnOne {
  readonly act: () => Promise<Done>
  /** The states in which the act is refused. */
  readonly refusedWhere: (state: KeyState) => boolean
}

async function onOne(jobId: string, { act, refusedWhere }: ActOnOne): Promise<Said[]> {
  try {
    return [{ jobId, ...(await act()) }]
  } catch (error) {
    switch (codeOf(error)) {
      case 'unique_conflict':
        return [{ jobId, heldFor: 'requeue' }]
      case 'job_not_found':
        return [{ jobId, says: 'was gone', by: 'found', is: isGone }]
      case 'invalid_transition':
      case 'invalid_job':
        return [{ jobId, says: 'could not be changed', by: 'found', is: refusedWhere }]
      default:
        throw error
    }
  }
}

function ofMany(result: Awaited<ReturnType<Queue['many']['cancel']>>, done: Done): Said[] {
  return result.outcome === 'done' ? result.jobIds.map((jobId) => ({ jobId, ...done })) : []
}

export function codeOf(error: unknown): string | undefined {
  return error instanceof QueueError ? error.code : undefined
}
