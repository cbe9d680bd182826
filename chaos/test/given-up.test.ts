import { test } from '@jest/globals'
import { sourceDefects } from '../src/mutants/source-defects.ts'
import { givenUp } from '../src/scenarios/given-up.ts'
import { expectDetected, expectHeld } from './support/held.ts'

test('claims that wait behind a lock until their workers have given them up take nothing', () =>
  expectHeld(givenUp))

test('a worker whose claims take jobs after they were given up is detected', () =>
  expectDetected(givenUp, sourceDefects.claimsTooLate, /jobs were claimed by claims/))
