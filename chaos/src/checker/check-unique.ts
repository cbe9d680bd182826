// Checks by the log of keys that each unique key had one holder at a time, and that each answer was true when it was given.
import type { ConflictPolicy, UniqueScope } from '@queue/core'
import type { TestDatabase } from '@queue/testing'
import { type KeyState, readKeyStates } from '../record/key-log.ts'
import type { Moment } from '../record/snapshot.ts'
import { holdsOf, isHeldDuring, type KeyHold, overlapsOf } from './key-holds.ts'

/** A call that was answered. */
export interface AnsweredCall {
  readonly before: Moment
  readonly answered: Moment
  /** After the commit of its transaction, which may be later than the answer; undefined: it was rolled back. */
  readonly committed: Moment | undefined
}

/** The answer to a request for a unique key. */
export interface UniqueAnswer extends AnsweredCall {
  /** The client's own key of the request. */
  readonly request: string
  readonly uniqueKey: string
  readonly scope: UniqueScope
  readonly policy: ConflictPolicy
  /** The start that was requested, in milliseconds since 1970; absent: at once. */
  readonly startMs?: number | undefined
  readonly maxWaitMs?: number | undefined
  /** `named`: the answer has only the id of the job, which may be new or the holder. */
  readonly outcome: 'new' | 'named' | 'returned' | 'refused' | 'replaced' | 'rescheduled'
  /** The job that the answer names. */
  readonly jobId: string | undefined
}

/** What the answer to an act says about a job: that the act has made it so, or has found it so. */
export interface JobClaim extends Pick<AnsweredCall, 'before' | 'answered'> {
  readonly jobId: string
  readonly says: string
  readonly by: 'made' | 'found'
  readonly is: (state: KeyState) => boolean
}

/** An act that was refused because another job held the key of this one. */
export interface KeyRefusal extends Pick<AnsweredCall, 'before' | 'answered'> {
  readonly jobId: string
  /** The act. */
  readonly heldFor: string
}

/** What the clients were told. */
export interface UniqueEvidence {
  readonly answers: readonly UniqueAnswer[]
  readonly claims?: readonly JobClaim[]
  readonly refusals?: readonly KeyRefusal[]
  /** The requests without an answer, which may have been written or not; absent: these are checked elsewhere. */
  readonly unanswered?: ReadonlySet<string>
}

/** The faults of the unique keys of a run. `windowMs` is the length of all its windows. */
export async function wrongUniqueKeys(
  database: Pick<TestDatabase, 'pool'>,
  { answers, claims = [], refusals = [], unanswered }: UniqueEvidence,
  windowMs: number,
): Promise<string[]> {
  const states = await readKeyStates(database)
  const holds = holdsOf(states, windowMs)
  const log: KeyLog = {
    statesOf: indexed(states, ({ jobId }) => jobId),
    holdsOf: indexed(holds, ({ uniqueKey }) => uniqueKey),
  }
  const overlaps = overlapsOf(holds).map(
    ({ hold, other }) =>
      `job ${hold.jobId} got the unique key ${hold.uniqueKey} (${hold.scope}) while ${other.jobId} (${other.scope}) held it`,
  )
  const wrongAnswers = answers.filter((answer) => !isTrue(answer, log)).map(describeAnswer)
  const wrongClaims = claims
    .filter((claim) => !isTrueClaim(claim, log))
    .map(({ jobId, says }) => `an act said that job ${jobId} ${says}, which it never was during the call`)
  const wrongRefusals = refusals
    .filter((refusal) => !isTrueRefusal(refusal, log))
    .map(
      ({ jobId, heldFor }) => `a ${heldFor} was refused for job ${jobId}, although no other job held its key`,
    )
  const writes = unanswered === undefined ? [] : unexpectedWrites(states, { answers, unanswered })
  return [...overlaps, ...wrongAnswers, ...wrongClaims, ...wrongRefusals, ...writes]
}

interface KeyLog {
  readonly statesOf: (jobId: string) => readonly KeyState[]
  readonly holdsOf: (uniqueKey: string) => readonly KeyHold[]
}

function indexed<Row>(rows: readonly Row[], keyOf: (row: Row) => string): (key: string) => readonly Row[] {
  const byKey = Map.groupBy(rows, keyOf)
  return (key) => byKey.get(key) ?? []
}

function describeAnswer({ outcome, jobId, request, uniqueKey, scope, policy }: UniqueAnswer): string {
  const asked = `${request} for the unique key ${uniqueKey} (${scope}, ${policy})`
  return `the answer to ${asked} is wrong: ${outcome}, job ${jobId ?? 'unknown'}`
}

const conflictOf = {
  return: 'returned',
  refuse: 'refused',
  replace: 'replaced',
  reschedule: 'rescheduled',
} as const satisfies Record<ConflictPolicy, string>

/** Whether the answer was true at a moment of the call. */
function isTrue(answer: UniqueAnswer, log: KeyLog): boolean {
  const { outcome, jobId, policy, request, scope } = answer
  const wasHeld = (fits: (hold: KeyHold) => boolean): boolean =>
    log.holdsOf(answer.uniqueKey).some((hold) => fits(hold) && isHeldDuring(hold, answer))
  switch (outcome) {
    case 'new':
      return isMade(answer, log, ([previous, state]) => {
        return previous === undefined && state.request === request && state.scope === scope
      })
    case 'named':
      return (
        isTrue({ ...answer, outcome: 'new' }, log) || isTrue({ ...answer, outcome: conflictOf[policy] }, log)
      )
    case 'returned':
      return policy === 'return' && wasHeld((hold) => hold.jobId === jobId)
    case 'refused':
      return wasHeld(
        (hold) =>
          (jobId === undefined || hold.jobId === jobId) &&
          (policy === 'refuse' || (policy !== 'return' && hold.scope !== 'waiting')),
      )
    case 'replaced':
      return (
        policy === 'replace' &&
        isMade(answer, log, (change) => change[1].request === request && isStartAllowed(change, answer))
      )
    case 'rescheduled':
      return (
        policy === 'reschedule' &&
        isMade(answer, log, (change) => isSameWork(change) && isStartAllowed(change, answer))
      )
  }
}

/** A state of a job, and the one before it. */
type Change = readonly [KeyState | undefined, KeyState]

/** Whether one of the changes of the call's job fits. What was rolled back has changed nothing. */
function isMade(
  { jobId = '', before, committed }: UniqueAnswer,
  log: KeyLog,
  fits: (change: Change) => boolean,
): boolean {
  const states = log.statesOf(jobId)
  return committed === undefined
    ? true
    : states.some((state, place) => isBetween(state, before, committed) && fits([states[place - 1], state]))
}

/** Whether the change was committed after `before`, and before `after`. */
function isBetween({ xid }: KeyState, before: Moment, after: Moment): boolean {
  return after.snapshot.sees(xid) && !before.snapshot.sees(xid)
}

function isSameWork([previous, state]: Change): boolean {
  return previous?.request === state.request
}

/** Clocks are stored in microseconds. */
const roundingMs = 0.002

/**
 * Whether this start follows from the request: at once, as it was because it had come already, or as requested, but no later
 * than the longest wait allows. What had come by the answer, but not before the call, may have been judged either way.
 */
function isStartAllowed(
  [previous, state]: Change,
  { startMs = 0, maxWaitMs = Infinity, before, answered }: UniqueAnswer,
): boolean {
  if (previous?.scope !== 'waiting' || previous.status !== 'queued' || state.status !== 'queued') return false
  const equals = (expectedMs: number): boolean => Math.abs(state.runMs - expectedMs) <= roundingMs
  const isAtOnce =
    startMs <= answered.ms &&
    (equals(previous.runMs) || state.runMs >= before.ms) &&
    state.runMs <= Math.min(previous.runMs, answered.ms) + roundingMs
  const isKept = previous.runMs <= answered.ms && equals(previous.runMs)
  const latestMs = Math.max(previous.runMs, previous.createdMs + maxWaitMs)
  const isMoved = previous.runMs > before.ms && startMs > before.ms && equals(Math.min(startMs, latestMs))
  return isAtOnce || isKept || isMoved
}

function isTrueClaim({ jobId, by, is, before, answered }: JobClaim, log: KeyLog): boolean {
  const states = log.statesOf(jobId)
  return states.some((state, place) => {
    const next = states[place + 1]
    const isCurrent =
      answered.snapshot.sees(state.xid) && !(next !== undefined && before.snapshot.sees(next.xid))
    return is(state) && (by === 'made' ? isBetween(state, before, answered) : isCurrent)
  })
}

function isTrueRefusal({ jobId, ...call }: KeyRefusal, log: KeyLog): boolean {
  const uniqueKey = log.statesOf(jobId)[0]?.uniqueKey ?? ''
  return log.holdsOf(uniqueKey).some((hold) => hold.jobId !== jobId && isHeldDuring(hold, call))
}

/** The faults of requests that the log shows in a job that no answer to them names, although they were answered. */
function unexpectedWrites(
  states: readonly KeyState[],
  { answers, unanswered }: Required<Pick<UniqueEvidence, 'answers' | 'unanswered'>>,
): string[] {
  const writes = new Set(
    answers.flatMap(({ request, jobId, committed }) =>
      committed === undefined ? [] : [`${request} ${jobId}`],
    ),
  )
  const logged = new Map(states.map(({ request, jobId }) => [`${request} ${jobId}`, request ?? '']))
  return [...logged]
    .filter(([write, request]) => !writes.has(write) && !unanswered.has(request))
    .map(([write]) => `the request and job ${write} are in the database, although no answer says so`)
}

/** How often an answer named the holder, by scope, and how often a key was held again after it had become free. */
export function uniqueCounts(answers: readonly UniqueAnswer[]): Record<string, number> {
  const conflicts = (scope: string): number =>
    answers.filter((answer) => answer.outcome !== 'new' && answer.scope === scope).length
  const reusable = answers.filter(({ outcome, scope }) => outcome === 'new' && scope !== 'window')
  return {
    'unique conflicts, waiting': conflicts('waiting'),
    'unique conflicts, live': conflicts('live'),
    'unique conflicts, window': conflicts('window'),
    'unique keys held again': reusable.length - new Set(reusable.map(({ uniqueKey }) => uniqueKey)).size,
  }
}
