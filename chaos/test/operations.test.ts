import { test } from '@jest/globals'
import { sourceDefects } from '../src/mutants/source-defects.ts'
import { operations } from '../src/scenarios/operations.ts'
import { expectFoundOut, expectHeld } from './support/held.ts'

test('kills in the midst of batches change no job twice, and no count', () => expectHeld(operations))

test('a worker that changes jobs apart from how far it has come is found out', () =>
  expectFoundOut(operations, sourceDefects.changesApart, /has miscounted|name other jobs/))
