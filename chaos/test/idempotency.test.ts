import { test } from '@jest/globals'
import { idempotencyMutations } from '../src/mutants/idempotency-mutations.ts'
import { idempotency } from '../src/scenarios/idempotency.ts'
import { expectDetected, expectHeld } from './support/held.ts'

test('an idempotency key makes one job and every answer is true, through each way to use a key, whatever is killed', () =>
  expectHeld(idempotency))

test('a receipt that is removed before its time is detected', () =>
  expectDetected(
    idempotency,
    idempotencyMutations.freesKeysEarly,
    /^retention has removed before its time job/,
  ))

test('a known key that is answered as new is detected', () =>
  expectDetected(idempotency, idempotencyMutations.answersKnownAsNew, /is wrong: new, job .* was made by/))

test('a mismatch that is not answered is detected', () =>
  expectDetected(
    idempotency,
    idempotencyMutations.ignoresMismatches,
    /is wrong: replayed, job .* was made for/,
  ))
