import { isUnavailable, sqlState, sqlStateOf } from '@queue/postgres'
import type { JobClaim, KeyRefusal, UniqueAnswer, UniqueEvidence } from '../checker/check-unique.ts'
import type { Moment } from '../record/snapshot.ts'
import { codeOf, type Said } from './unique-acts.ts'
import type { Entered, UniqueRequest } from './unique-doors.ts'

/** What the clients of the attack on unique keys were told. */
export interface UniqueRecord extends Required<UniqueEvidence> {
  /** Errors that no client may get. */
  readonly faults: readonly string[]
  readonly counts: {
    readonly 'calls without an answer': number
    readonly 'keys locked': number
    readonly 'snapshots too old': number
  }
  /** The latest jobs that answers have named. */
  readonly recentJobs: readonly string[]
  /** Notes the answer to a call from a door. `after` is a moment after its transaction has ended. */
  answer(
    requests: readonly UniqueRequest[],
    entered: Entered,
    call: { readonly before: Moment; readonly after: Moment },
  ): void
  /** Notes the answer to an act. */
  said(said: readonly Said[], call: Pick<JobClaim, 'before' | 'answered'>): void
  /** Notes a call that failed. Only our own kills, and locks and snapshots of other transactions, may make it fail. */
  failure(name: string, error: unknown, requests?: readonly UniqueRequest[]): void
}

const recentMax = 60
const invalidParameter = '22023'

export function createUniqueRecord(): UniqueRecord {
  const answers: UniqueAnswer[] = []
  const claims: JobClaim[] = []
  const refusals: KeyRefusal[] = []
  const unanswered = new Set<string>()
  const faults: string[] = []
  const recentJobs: string[] = []
  const counts = { 'calls without an answer': 0, 'keys locked': 0, 'snapshots too old': 0 }
  return {
    answers,
    claims,
    refusals,
    unanswered,
    faults,
    counts,
    recentJobs,
    answer: (requests, { outcomes, rolledBack = false, answered }, { before, after }) => {
      const call = { before, answered: answered ?? after, committed: rolledBack ? undefined : after }
      for (const [place, request] of requests.entries()) {
        const outcome = outcomes[place]
        if (outcome === undefined) continue
        answers.push({ ...request, ...outcome, ...call })
        if (outcome.jobId !== undefined && !rolledBack) recentJobs.push(outcome.jobId)
      }
      recentJobs.splice(0, recentJobs.length - recentMax)
    },
    said: (said, call) => {
      for (const one of said) {
        if ('heldFor' in one) refusals.push({ ...one, ...call })
        else claims.push({ ...one, ...call })
      }
    },
    failure: (name, error, requests = []) => {
      const code = codeOf(error)
      const state = sqlStateOf(error)
      if (code === 'database_unavailable' || isUnavailable(error)) {
        counts['calls without an answer'] += 1
        for (const { request } of requests) unanswered.add(request)
      } else if (code === 'unique_key_locked' || state === sqlState.lockNotAvailable) {
        counts['keys locked'] += 1
      } else if (name === 'snapshot' && state === sqlState.serializationFailure) {
        counts['snapshots too old'] += 1
      } else if (!isRefusedStart(error, requests)) {
        faults.push(`${name} failed: ${String(error)} (${code ?? state ?? 'no code'})`)
      }
    },
  }
}

/** Whether the job of a request, or the holder that it changes, would have expired before its start. */
function isRefusedStart(error: unknown, requests: readonly UniqueRequest[]): boolean {
  const isRefused = codeOf(error) === 'invalid_job' || sqlStateOf(error) === invalidParameter
  return isRefused && String(error).includes('expir') && requests.length > 0
}
