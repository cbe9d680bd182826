import { describe, expect, test } from '@jest/globals'
import { checkStory } from '../src/checker/check-story.ts'
import { signsOf } from '../src/checker/signs.ts'
import { type FaultKind, faultKinds, type JobStory } from '../src/checker/story.ts'
import {
  auditOf,
  born,
  change,
  lost1,
  plainStory,
  recoveredStory,
  retrying1,
  running1,
  running2,
  succeeded1,
  succeeded2,
} from './support/stories.ts'

const kindsOf = (story: JobStory): FaultKind[] => [...new Set(checkStory(story).map(({ kind }) => kind))]

test.each([
  ['succeeded at once', plainStory],
  ['was lost, ran again, and had a ghost', recoveredStory],
  [
    'was given back, and run again',
    {
      ...recoveredStory,
      last: { ...succeeded2, attempts: 1, crashes: 0 },
      audit: auditOf(
        born,
        running1,
        { ...born, token: 1 },
        { ...running1, token: 2 },
        { ...succeeded1, token: 2 },
      ),
      executions: [{ token: 2, outcome: 'succeeded', error: null }],
    },
  ],
  [
    'was requeued after its dead letter',
    {
      ...recoveredStory,
      last: { ...succeeded2, attempts: 1, crashes: 0 },
      audit: auditOf(
        born,
        running1,
        { ...running1, status: 'failed_permanent' },
        { ...born, token: 1 },
        { ...running1, token: 2 },
        { ...succeeded1, token: 2 },
      ),
      executions: [
        { token: 1, outcome: 'failed', error: 'Error: lease 1 fails as planned' },
        { token: 2, outcome: 'succeeded', error: null },
      ],
    },
  ],
] satisfies [string, JobStory][])('a job that %s is without fault', (_what, story) => {
  expect(checkStory(story)).toEqual([])
})

const broken: [FaultKind, string, JobStory][] = [
  ['unexpected', 'no client asked for', { ...plainStory, fate: undefined }],
  [
    'unexpected',
    'was refused',
    { ...plainStory, fate: { key: 'k1', enqueue: 'fail', id: undefined, cancelled: false } },
  ],
  [
    'unexpected',
    'was answered with another id',
    { ...plainStory, fate: { key: 'k1', enqueue: 'ok', id: 'job-2', cancelled: false } },
  ],
  [
    'lost',
    'ran after its cancel was answered',
    { ...plainStory, fate: { key: 'k1', enqueue: 'ok', id: 'job-1', cancelled: true } },
  ],
  [
    'illegal transition',
    'was claimed twice at once',
    { ...recoveredStory, audit: auditOf(born, running1, { ...running1, token: 2, attempts: 2 }) },
  ],
  [
    'illegal transition',
    'left its end',
    { ...recoveredStory, audit: auditOf(born, running1, succeeded1, running2) },
  ],
  [
    'illegal transition',
    'was claimed without a charge',
    { ...plainStory, audit: auditOf(born, { ...running1, attempts: 0 }, succeeded1) },
  ],
  [
    'illegal transition',
    'was claimed under an old token',
    { ...plainStory, audit: auditOf(born, { ...running1, token: 0 }, succeeded1) },
  ],
  [
    'illegal transition',
    'was claimed before its time',
    {
      ...plainStory,
      audit: [change(null, born), change(born, running1, { due: false }), change(running1, succeeded1)],
    },
  ],
  [
    'illegal transition',
    'waits for an attempt that it does not have',
    {
      ...recoveredStory,
      audit: [change(null, born), change(born, running1), change(running1, retrying1, { maxAttempts: 1 })],
    },
  ],
  [
    'illegal transition',
    'was retried in spite of a cancel',
    {
      ...recoveredStory,
      audit: [
        change(null, born),
        change(born, running1),
        change(running1, retrying1, { cancelRequested: true }),
      ],
    },
  ],
  [
    'illegal transition',
    'has a gap',
    { ...recoveredStory, audit: auditOf(born, running1, lost1).toSpliced(1, 1) },
  ],
  [
    'illegal transition',
    'was deleted',
    { ...plainStory, audit: [...plainStory.audit, change(succeeded1, null)] },
  ],
  [
    'duplicated finish',
    'succeeded twice',
    {
      ...recoveredStory,
      executions: [
        { token: 1, outcome: 'succeeded', error: null },
        { token: 2, outcome: 'succeeded', error: null },
      ],
    },
  ],
  [
    'duplicated finish',
    'ended twice in one life',
    { ...plainStory, audit: [...plainStory.audit, change(running1, succeeded1)] },
  ],
  ['non-terminal', 'still waits', { ...recoveredStory, last: lost1, audit: auditOf(born, running1, lost1) }],
  [
    'unplanned end',
    'failed although it should not',
    { ...plainStory, last: { ...succeeded1, status: 'failed_permanent' } },
  ],
  ['foreign finish', 'has the result of an earlier lease', { ...recoveredStory, result: { token: 1 } }],
  [
    'foreign finish',
    'succeeded without its handler',
    { ...plainStory, effects: [{ token: 1, phase: 'begun', atMs: 11 }] },
  ],
  [
    'foreign finish',
    'has the error of another lease',
    {
      ...recoveredStory,
      executions: [
        { token: 1, outcome: 'lost', error: null },
        { token: 2, outcome: 'failed', error: 'Error: lease 1 fails as planned\n    at behave' },
      ],
    },
  ],
  [
    'unrecorded attempt',
    'was charged without a history',
    { ...recoveredStory, executions: [{ token: 2, outcome: 'succeeded', error: null }] },
  ],
  [
    'unrecorded attempt',
    'was charged for a release',
    {
      ...recoveredStory,
      executions: [
        { token: 1, outcome: 'released', error: null },
        { token: 2, outcome: 'succeeded', error: null },
      ],
    },
  ],
  [
    'unrecorded attempt',
    'was lost without a crash',
    { ...recoveredStory, audit: auditOf(born, running1, retrying1, running2, succeeded2) },
  ],
  [
    'unrecorded attempt',
    'has a history of an attempt that it never left',
    { ...plainStory, executions: [...plainStory.executions, { token: 3, outcome: 'failed', error: null }] },
  ],
  [
    'stolen from a live worker',
    'was taken from a worker in state active',
    {
      ...recoveredStory,
      audit: recoveredStory.audit.map((entry) =>
        entry.to === lost1 ? { ...entry, workerState: 'active' } : entry,
      ),
    },
  ],
  [
    'effect not exactly once',
    'left the writes of a lost attempt behind',
    { ...recoveredStory, effects: [...recoveredStory.effects, { token: 1, phase: 'transacted', atMs: 33 }] },
  ],
  [
    'effect not exactly once',
    'succeeded without what its transaction was to write',
    { ...plainStory, plan: 'transact' },
  ],
  [
    'effect not exactly once',
    'wrote in a transaction after its end',
    {
      ...plainStory,
      plan: 'transact_late',
      effects: [...plainStory.effects, { token: 1, phase: 'transacted', atMs: 23 }],
    },
  ],
  [
    'effect not exactly once',
    'committed its transaction twice',
    {
      ...plainStory,
      effects: [
        ...plainStory.effects,
        { token: 1, phase: 'transacted', atMs: 13 },
        { token: 1, phase: 'transacted', atMs: 14 },
      ],
    },
  ],
]

describe('the checker', () => {
  test.each(broken)('finds %s: a job that %s', (kind, _what, story) => {
    expect(kindsOf(story)).toContain(kind)
  })

  test('is seen to find each kind of fault that one story can show', () => {
    const shown = new Set<FaultKind>(broken.map(([kind]) => kind))
    // Whether a key has two jobs can be seen in two stories only.
    expect(faultKinds.filter((kind) => !shown.has(kind))).toEqual(['duplicated job'])
  })

  test('counts a handler that ended after its job had left it as a ghost, and its work as done again', () => {
    expect(signsOf(recoveredStory)).toMatchObject({ recovered: 1, ghosts: 1, repeated: 1 })
    expect(signsOf(plainStory)).toMatchObject({ recovered: 0, ghosts: 0, repeated: 0 })
  })
})
