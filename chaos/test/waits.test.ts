import { test } from '@jest/globals'
import { waitDefects } from '../src/mutants/wait-defects.ts'
import { waits } from '../src/scenarios/waits.ts'
import { expectDetected, expectHeld } from './support/held.ts'

test('a wait over HTTP ends in time with what was true, and shows nothing hidden, whatever becomes of its job and the API', () =>
  expectHeld(waits))

test('a wait that ends early, and one that shows what is hidden, are detected', () =>
  expectDetected(
    waits,
    waitDefects,
    /^a wait by .* was answered before its time/,
    /^a wait by POST .* shows what is hidden/,
  ))
