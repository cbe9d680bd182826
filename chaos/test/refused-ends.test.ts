import { test } from '@jest/globals'
import { sourceDefects } from '../src/mutants/source-defects.ts'
import { refusedEnds } from '../src/scenarios/refused-ends.ts'
import { expectDetected, expectHeld } from './support/held.ts'

test('ends that the database refuses are recorded as what they were, and no job runs again', () =>
  expectHeld(refusedEnds))

test('a worker that forgets the ends that the database refuses is detected', () =>
  expectDetected(
    refusedEnds,
    sourceDefects.forgetsRefusedEnds,
    /jobs whose ends were refused were run again/,
  ))

test('a worker that records refused ends as failures is detected', () =>
  expectDetected(refusedEnds, sourceDefects.recordsFailuresInstead, /unplanned end/))
