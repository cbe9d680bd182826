import { describe, test } from '@jest/globals'
import { actMutations } from '../src/mutants/act-mutations.ts'
import { acts } from '../src/scenarios/acts.ts'
import { expectDetected, expectHeld } from './support/held.ts'

test('acts on many beside acts on one change exactly what their filters select, and count it', () =>
  expectHeld(acts))

describe('detects that', () => {
  test('an act on many checks its jobs before it locks them', () =>
    expectDetected(acts, actMutations.checksBeforeLocks, /which it did not select|which was|is left of job/))

  test('an act on many compares metadata as it has found them', () =>
    expectDetected(acts, actMutations.readsOldMetadata, /which it did not select/))

  test('a requeue takes the unique key of another job', () =>
    expectDetected(acts, actMutations.takesHeldKeys, /live jobs have one unique key/))

  test('an operation counts what it has skipped', () =>
    expectDetected(acts, actMutations.countsSkipped, /counted \d+ jobs and changed/))

  test('an undo of a requeue takes back later acts too', () =>
    expectDetected(acts, actMutations.undoesLaterActs, /which it did not select|which no act has changed/))

  test('an undo of a requeue loses the dead letter', () =>
    expectDetected(acts, actMutations.losesDeadLetters, /did not restore the dead letter/))

  test('an undo of a cancel forgets that a job is retried', () =>
    expectDetected(acts, actMutations.forgetsRetries, /did not restore status/))

  test('an undo of a reschedule moves the start', () =>
    expectDetected(acts, actMutations.movesStarts, /did not restore run_at/))
})
