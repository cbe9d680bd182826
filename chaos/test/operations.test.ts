import { test } from '@jest/globals'
import { sourceDefects } from '../src/mutants/source-defects.ts'
import { operations } from '../src/scenarios/operations.ts'
import { expectDetected, expectHeld } from './support/held.ts'

test('kills in the midst of batches change no job twice, and no count', () => expectHeld(operations))

test('a worker that commits changes of jobs separately from the progress of their operation is detected', () =>
  expectDetected(operations, sourceDefects.changesApart, /miscounted|name other jobs/))
