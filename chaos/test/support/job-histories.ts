import type { AuditEntry, JobState, JobHistory } from '../../src/checker/job-history.ts'

export const created: JobState = { status: 'queued', token: 0, attempts: 0, crashes: 0 }

/** A change of a job that is due, not cancelled and has at most three attempts, unless `more` says otherwise. */
export function change(
  from: JobState | null,
  to: JobState | null,
  more: Partial<AuditEntry> = {},
): AuditEntry {
  return { from, to, maxAttempts: 3, cancelRequested: false, due: true, workerState: null, atMs: 0, ...more }
}

/** The audit of a job that goes through these states. */
export function auditOf(...states: readonly JobState[]): AuditEntry[] {
  return states.map((state, index) => change(states[index - 1] ?? null, state, { atMs: index * 10 }))
}

export const running1: JobState = { ...created, status: 'running', token: 1, attempts: 1 }
export const retrying1: JobState = { ...running1, status: 'retrying' }
export const lost1: JobState = { ...retrying1, crashes: 1 }
export const running2: JobState = { ...lost1, status: 'running', token: 2, attempts: 2 }
export const succeeded1: JobState = { ...running1, status: 'succeeded' }
export const succeeded2: JobState = { ...running2, status: 'succeeded' }

/** A job that was lost once, ran again and succeeded, without any fault. */
export const recoveredHistory: JobHistory = {
  id: 'job-1',
  key: 'k1',
  clientOutcome: { key: 'k1', enqueue: 'ok', id: 'job-1', cancelled: false },
  plan: 'succeed',
  maxAttempts: 3,
  cancelRequested: false,
  last: succeeded2,
  result: { token: 2 },
  audit: auditOf(created, running1, lost1, running2, succeeded2),
  effects: [
    { token: 1, phase: 'begun', atMs: 11 },
    { token: 2, phase: 'begun', atMs: 31 },
    // A stale worker: it finished after its job had been recovered, and changed nothing.
    { token: 1, phase: 'ended', atMs: 32 },
    { token: 2, phase: 'ended', atMs: 39 },
  ],
  executions: [
    { token: 1, outcome: 'lost', error: 'the worker w1 was lost during the attempt' },
    { token: 2, outcome: 'succeeded', error: null },
  ],
}

/** A job that succeeded at its first attempt. */
export const plainHistory: JobHistory = {
  ...recoveredHistory,
  last: succeeded1,
  result: { token: 1 },
  audit: auditOf(created, running1, succeeded1),
  effects: [
    { token: 1, phase: 'begun', atMs: 11 },
    { token: 1, phase: 'ended', atMs: 12 },
  ],
  executions: [{ token: 1, outcome: 'succeeded', error: null }],
}
