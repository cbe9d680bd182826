import { describe, expect, test } from '@jest/globals'
import { changesOfJobs, waitingStatements } from '../support/waiting-statements.ts'

/** Why a statement that can wait for a row is right. ARCHITECTURE.md has the rule: "Lock, look, act". */
interface Reason {
  /** What it decides, and why that holds after the wait. */
  readonly right: string
  /** Why an instant from before the wait does no harm; only where the statement uses one. */
  readonly clock?: string
  /** Why it may change rows of several tables; only where it does. */
  readonly tables?: string
}

const locksFirst = 'it locks its rows in a first part, and what it decides is read on these'
const ofLockedRow = 'its condition and its values use only the row that it changes, as it is once locked'
const skipsLocked = 'it locks its rows with SKIP LOCKED, and so waits for none'
const lockedBefore = 'the statement before it has locked these rows'
const onlyEvents =
  'only the events of lanes have it, and these are due at once whatever instant in the past they name'
const endIsKnown =
  'the attempt had ended before the statement began, and nothing is decided by the instant; updated_at never goes back'
const ofLease =
  'the lease token and the state are tested on the locked row, and nobody else writes the history of a lease'
const isOld = 'it only removes what has been old for long'
const ownRow = 'only the holder of the lease or session writes this row'

const attempts = { right: ofLease, clock: endIsKnown, tables: ofLease }

/** Each module that sends such a statement, and each function of the schema that contains one. */
const reasons: Readonly<Record<string, Reason>> = {
  'add-counts': { right: 'it only adds to counts', clock: isOld },
  'cancel-job': { right: locksFirst, clock: onlyEvents },
  'cancel-jobs': { right: locksFirst, clock: onlyEvents },
  'cancel-operation': { right: locksFirst },
  'cancel-running-jobs': attempts,
  'carry-out-operation': {
    right: `${lockedBefore}, or ${skipsLocked}`,
    clock: 'it waits for no row, except to put off an operation that failed, by the instant of the failure',
  },
  'claim-jobs': {
    right: `${skipsLocked}. It waits for the queues, and the clock of its deadline is read after that`,
    clock: 'a job that was due when the claim began is due',
  },
  'count-waiting': { right: `it only stores counts, and ${skipsLocked}` },
  'create-key': {
    right: 'the conditions of the replaced key are tested on its locked row, and its replacement is unique',
    clock: 'only a new key counts its expiry from the start of the statement, which waits for nobody',
  },
  'create-schedule': { right: 'a schedule that exists stays as it is' },
  'create-session': { right: 'it inserts one row', clock: isOld },
  'delete-dead-letter': { right: ofLockedRow },
  'delete-jobs': {
    right: `${locksFirst}; a second statement acts on these`,
    clock: onlyEvents,
    tables: 'whoever writes about a job locks it, so nothing is written about these',
  },
  'delete-schedule': { right: ofLockedRow },
  'delete-session': { right: ofLockedRow },
  'duplicate-job': { right: locksFirst },
  'enqueue-jobs': { right: 'it only inserts; a lock timeout of 10 ms leaves longer waits to enqueue_jobs' },
  'erase-last-jobs': { right: skipsLocked },
  'erase-samples': { right: locksFirst },
  'expire-jobs': { right: skipsLocked, clock: 'it waits for no row' },
  'finish-jobs': { right: ofLease, clock: endIsKnown },
  'fire-due': {
    right: `${skipsLocked}; the second statement changes these rows`,
    clock: 'it waits for no row',
  },
  'kind-statements': {
    right: `${locksFirst}, and in the order of their keys`,
    clock: 'registered_at and last_seen_at never go back, and only a warning depends on them',
  },
  'lock-jobs': { right: 'it only locks' },
  'note-key-use': { right: ofLockedRow, clock: 'it notes an hour' },
  'note-slow-claim': { right: ownRow, clock: 'only shown: when the worker noted it' },
  'pause-queue': { right: locksFirst, clock: 'only shown: since when the queue is paused' },
  'pause-schedule': { right: lockedBefore },
  'prune-audit-log': { right: 'an entry that is changed meanwhile stays until the next call', clock: isOld },
  'prune-errors': {
    right: skipsLocked,
    clock: isOld,
    tables: 'the days are those of groups that it has removed, or are old themselves',
  },
  'prune-jobs': {
    right: `${lockedBefore}, with SKIP LOCKED. Without a lock on its slot a job stays`,
    tables: 'whoever writes about a job locks it, so nothing is written about these',
  },
  'prune-lane-events': {
    right: 'an event that no job waits for is needed by nobody: a job that comes later has its own',
    clock: 'whether an event is due matters to no one else',
  },
  'prune-limit-counters': { right: skipsLocked, clock: 'it waits for no row' },
  'prune-operations': { right: 'an operation that has ended never changes', clock: isOld },
  'prune-requeued-jobs': { right: skipsLocked, clock: isOld },
  'prune-stats': { right: isOld, clock: isOld },
  'prune-workers': { right: 'a worker that has ended never works again', clock: isOld },
  'read-schedules': { right: 'it only locks' },
  'reconcile-limits': {
    right: 'the queue is locked, so that nobody else changes its counters and turns',
    clock: 'it looks a minute back',
  },
  'recover-jobs': {
    right: `${skipsLocked}. ${ofLease}`,
    clock: 'it waits for no row',
    tables: 'a worker is lost before its jobs are found, and each job is changed by its lease',
  },
  'register-worker': { right: 'it only inserts', clock: ownRow },
  'release-jobs': attempts,
  'renew-worker-lease': {
    right: ofLockedRow,
    clock: 'a lease that counts from before the wait ends too early, not too late',
  },
  'report-progress': { right: ofLease, clock: endIsKnown },
  'requeue-dead-letters': {
    right: `${locksFirst}; further statements act on these`,
    clock: 'the statement that reads it waits for no row',
    tables: 'the jobs and the dead letters are locked by then',
  },
  'requeue-job': {
    right: `${locksFirst}. A job that has changed since the statement began is tried again`,
    tables: 'the dead letter is that of the attempt which the statement has seen',
  },
  'requeue-jobs': {
    right: `${locksFirst}; further statements act on these`,
    clock: 'the statement that reads it waits for no row',
    tables: 'the jobs are locked by then, so that no dead letter of theirs is written',
  },
  'reschedule-jobs': { right: locksFirst, clock: onlyEvents },
  'restore-cancelled-jobs': {
    right: `${locksFirst}; further statements act on these`,
    clock: 'the statement that reads it waits for no row',
  },
  'restore-requeued-jobs': {
    right: locksFirst,
    clock: onlyEvents,
    tables:
      'the job has not changed since the requeue, so what was kept of it is that of the requeue, and no dead letter is there',
  },
  'restore-starts': { right: locksFirst, clock: onlyEvents },
  'retire-kind': { right: locksFirst, clock: 'only shown: since when the kind is retired' },
  'retry-or-dead-letter-jobs': attempts,
  'return-unstarted-jobs': { right: ofLease, clock: endIsKnown },
  'revoke-key': { right: 'a revocation is only inserted' },
  'run-job-now': { right: locksFirst },
  'run-now': { right: lockedBefore },
  'set-limit': {
    right: 'the queue is locked first, so that nobody else changes its limits',
    clock: 'only shown: when the limit changed',
  },
  slots: {
    right: 'it only locks slots, and then takes those that it has locked',
    clock: 'no slot of a window is requested here',
  },
  'snooze-jobs': attempts,
  'stop-worker': { right: ownRow },
  'sync-schedules': {
    right: 'the source is locked first, then its schedules by name',
    clock: 'only shown: when the source was synced',
  },
  'take-requests': {
    right: ofLockedRow,
    clock: 'the bucket is filled up to the later of two instants, never twice',
  },
  'update-schedule': { right: lockedBefore, clock: 'only shown: when the schedule changed' },
  'write-logs': { right: 'the lease token is tested on the locked row' },
  'claim_lanes()': { right: skipsLocked },
  'change_waiting()': { right: skipsLocked },
  'tenant_change_waiting()': { right: skipsLocked },
  'enqueue_jobs()': {
    right: 'each of its statements sees what was committed before it, and the clock is read after each wait',
  },
  'tenant_enqueue_jobs()': { right: 'the same' },
  'strip_jobs()': {
    right: locksFirst,
    clock: isOld,
    tables: 'the caller, prune-jobs, has locked the jobs, and metadata is only written under that lock',
  },
  'turn_ended_days()': {
    right: 'no end writes to the days that it drops, and it asks again under its lock whether they are empty',
  },
  'cancel()': { right: 'it locks the job, and acts in further statements' },
  'edit_job()': { right: 'it locks the job, and acts in further statements' },
  'erase_from_audit()': { right: 'it removes ids of jobs that are gone, of which nobody writes a new entry' },
}

const statements = waitingStatements()

describe('each statement that can wait for a row', () => {
  test('is listed, with the reason why it is right', () => {
    expect(Object.keys(reasons).toSorted()).toEqual(statements.map(({ name }) => name).toSorted())
  })

  test('reads the clock after the wait, or says why an older instant does no harm', () => {
    const withReason = Object.keys(reasons).filter((name) => reasons[name]?.clock !== undefined)
    const withOldClock = statements.filter(({ hasOldClock }) => hasOldClock).map(({ name }) => name)
    expect(withReason.toSorted()).toEqual(withOldClock.toSorted())
  })

  test('changes one table, or says why the rows of the others are right', () => {
    const withReason = Object.keys(reasons).filter((name) => reasons[name]?.tables !== undefined)
    const withTables = statements.filter(({ changes }) => changes.length > 1).map(({ name }) => name)
    expect(withReason.toSorted()).toEqual(withTables.toSorted())
  })
})

test('each change of a job moves updated_at on', () => {
  const countsOnly = ['set-limit']
  const without = changesOfJobs().filter(
    ({ text }) =>
      !/updated_at = greatest\(.{1,60}?, date_trunc\('milliseconds', j\.updated_at\) \+/.test(text),
  )
  // The function sets the other columns in a statement of its own, before the one that all of its calls need.
  expect([...new Set(without.map(({ name }) => name))].toSorted()).toEqual(
    [...countsOnly, 'change_waiting()', 'tenant_change_waiting()'].toSorted(),
  )
})
