import { describe, expect, test } from '@jest/globals'
import { checkJobHistory } from '../src/checker/check-job-history.ts'
import { evidenceOf } from '../src/checker/evidence.ts'
import { type FaultKind, faultKinds, type JobHistory } from '../src/checker/job-history.ts'
import {
  auditOf,
  created,
  change,
  lost1,
  plainHistory,
  recoveredHistory,
  retrying1,
  running1,
  running2,
  succeeded1,
  succeeded2,
} from './support/job-histories.ts'

const kindsOf = (jobHistory: JobHistory): FaultKind[] => [
  ...new Set(checkJobHistory(jobHistory).map(({ kind }) => kind)),
]

test.each([
  ['succeeded at once', plainHistory],
  ['was lost, ran again, and had a stale worker', recoveredHistory],
  [
    'was returned unstarted, and run again',
    {
      ...recoveredHistory,
      last: { ...succeeded2, attempts: 1, crashes: 0 },
      audit: auditOf(
        created,
        running1,
        { ...created, token: 1 },
        { ...running1, token: 2 },
        { ...succeeded1, token: 2 },
      ),
      executions: [{ token: 2, outcome: 'succeeded', error: null }],
    },
  ],
  [
    'was requeued after it became a dead letter',
    {
      ...recoveredHistory,
      last: { ...succeeded2, attempts: 1, crashes: 0 },
      audit: auditOf(
        created,
        running1,
        { ...running1, status: 'failed_permanent' },
        { ...created, token: 1 },
        { ...running1, token: 2 },
        { ...succeeded1, token: 2 },
      ),
      executions: [
        { token: 1, outcome: 'failed', error: 'Error: lease 1 fails as planned' },
        { token: 2, outcome: 'succeeded', error: null },
      ],
    },
  ],
] satisfies [string, JobHistory][])('a job that %s is without fault', (_what, jobHistory) => {
  expect(checkJobHistory(jobHistory)).toEqual([])
})

const broken: [FaultKind, string, JobHistory][] = [
  ['unexpected', 'no client enqueued', { ...plainHistory, clientOutcome: undefined }],
  [
    'unexpected',
    'was refused',
    { ...plainHistory, clientOutcome: { key: 'k1', enqueue: 'fail', id: undefined, cancelled: false } },
  ],
  [
    'unexpected',
    'was answered with another id',
    { ...plainHistory, clientOutcome: { key: 'k1', enqueue: 'ok', id: 'job-2', cancelled: false } },
  ],
  [
    'lost',
    'ran after its cancel was answered',
    { ...plainHistory, clientOutcome: { key: 'k1', enqueue: 'ok', id: 'job-1', cancelled: true } },
  ],
  [
    'illegal transition',
    'was claimed twice at once',
    { ...recoveredHistory, audit: auditOf(created, running1, { ...running1, token: 2, attempts: 2 }) },
  ],
  [
    'illegal transition',
    'left a terminal status',
    { ...recoveredHistory, audit: auditOf(created, running1, succeeded1, running2) },
  ],
  [
    'illegal transition',
    'was claimed without counting the attempt',
    { ...plainHistory, audit: auditOf(created, { ...running1, attempts: 0 }, succeeded1) },
  ],
  [
    'illegal transition',
    'was claimed under an old token',
    { ...plainHistory, audit: auditOf(created, { ...running1, token: 0 }, succeeded1) },
  ],
  [
    'illegal transition',
    'was claimed before its time',
    {
      ...plainHistory,
      audit: [change(null, created), change(created, running1, { due: false }), change(running1, succeeded1)],
    },
  ],
  [
    'illegal transition',
    'waits for a retry beyond its maximum of attempts',
    {
      ...recoveredHistory,
      audit: [
        change(null, created),
        change(created, running1),
        change(running1, retrying1, { maxAttempts: 1 }),
      ],
    },
  ],
  [
    'illegal transition',
    'was retried although it was cancelled',
    {
      ...recoveredHistory,
      audit: [
        change(null, created),
        change(created, running1),
        change(running1, retrying1, { cancelRequested: true }),
      ],
    },
  ],
  [
    'illegal transition',
    'has a gap',
    { ...recoveredHistory, audit: auditOf(created, running1, lost1).toSpliced(1, 1) },
  ],
  [
    'illegal transition',
    'was deleted',
    { ...plainHistory, audit: [...plainHistory.audit, change(succeeded1, null)] },
  ],
  [
    'duplicated finish',
    'succeeded twice',
    {
      ...recoveredHistory,
      executions: [
        { token: 1, outcome: 'succeeded', error: null },
        { token: 2, outcome: 'succeeded', error: null },
      ],
    },
  ],
  [
    'duplicated finish',
    'ended twice in one life',
    { ...plainHistory, audit: [...plainHistory.audit, change(running1, succeeded1)] },
  ],
  [
    'non-terminal',
    'still waits',
    { ...recoveredHistory, last: lost1, audit: auditOf(created, running1, lost1) },
  ],
  [
    'unplanned end',
    'failed although it should not',
    { ...plainHistory, last: { ...succeeded1, status: 'failed_permanent' } },
  ],
  ['foreign finish', 'has the result of an earlier lease', { ...recoveredHistory, result: { token: 1 } }],
  [
    'foreign finish',
    'succeeded without its handler',
    { ...plainHistory, effects: [{ token: 1, phase: 'begun', atMs: 11 }] },
  ],
  [
    'foreign finish',
    'has the error of another lease',
    {
      ...recoveredHistory,
      executions: [
        { token: 1, outcome: 'lost', error: null },
        { token: 2, outcome: 'failed', error: 'Error: lease 1 fails as planned\n    at behave' },
      ],
    },
  ],
  [
    'unrecorded attempt',
    'was charged without a history',
    { ...recoveredHistory, executions: [{ token: 2, outcome: 'succeeded', error: null }] },
  ],
  [
    'unrecorded attempt',
    'was charged for a release',
    {
      ...recoveredHistory,
      executions: [
        { token: 1, outcome: 'released', error: null },
        { token: 2, outcome: 'succeeded', error: null },
      ],
    },
  ],
  [
    'unrecorded attempt',
    'was lost without a crash',
    { ...recoveredHistory, audit: auditOf(created, running1, retrying1, running2, succeeded2) },
  ],
  [
    'unrecorded attempt',
    'has a history of an attempt that it never left',
    {
      ...plainHistory,
      executions: [...plainHistory.executions, { token: 3, outcome: 'failed', error: null }],
    },
  ],
  [
    'stolen from a live worker',
    'was taken from a worker in state active',
    {
      ...recoveredHistory,
      audit: recoveredHistory.audit.map((entry) =>
        entry.to === lost1 ? { ...entry, workerState: 'active' } : entry,
      ),
    },
  ],
  [
    'effect not exactly once',
    'left the writes of a lost attempt behind',
    {
      ...recoveredHistory,
      effects: [...recoveredHistory.effects, { token: 1, phase: 'transacted', atMs: 33 }],
    },
  ],
  [
    'effect not exactly once',
    'succeeded without what its transaction was to write',
    { ...plainHistory, plan: 'transact' },
  ],
  [
    'effect not exactly once',
    'wrote in a transaction after its end',
    {
      ...plainHistory,
      plan: 'transact_late',
      effects: [...plainHistory.effects, { token: 1, phase: 'transacted', atMs: 23 }],
    },
  ],
  [
    'effect not exactly once',
    'committed its transaction twice',
    {
      ...plainHistory,
      effects: [
        ...plainHistory.effects,
        { token: 1, phase: 'transacted', atMs: 13 },
        { token: 1, phase: 'transacted', atMs: 14 },
      ],
    },
  ],
]

describe('the checker', () => {
  test.each(broken)('finds %s: a job that %s', (kind, _what, jobHistory) => {
    expect(kindsOf(jobHistory)).toContain(kind)
  })

  test('is tested for each kind of fault that a single history can have', () => {
    const coveredKinds = new Set<FaultKind>(broken.map(([kind]) => kind))
    // Two jobs with the same key can only be detected in two histories.
    expect(faultKinds.filter((kind) => !coveredKinds.has(kind))).toEqual(['duplicated job'])
  })

  test('counts a handler that ended after its job had left it as a late end, and its work as done again', () => {
    expect(evidenceOf(recoveredHistory)).toMatchObject({ recovered: 1, lateEnds: 1, repeated: 1 })
    expect(evidenceOf(plainHistory)).toMatchObject({ recovered: 0, lateEnds: 0, repeated: 0 })
  })
})
