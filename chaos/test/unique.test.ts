import { test } from '@jest/globals'
import { uniqueMutations } from '../src/mutants/unique-mutations.ts'
import { unique } from '../src/scenarios/unique.ts'
import { expectDetected, expectHeld } from './support/held.ts'

test('a unique key has one holder and every answer is true, through each way to get a key, whatever is killed', () =>
  expectHeld(unique))

test('an expired job that holds its unique key is detected', () =>
  expectDetected(
    unique,
    uniqueMutations.expiredJobsHold,
    /^the answer to .* is wrong: (returned|refused|named)/,
  ))

test('a requeue that takes the unique key of another job is detected', () =>
  expectDetected(
    unique,
    uniqueMutations.requeuesTakeHeldKeys,
    /^job .* got the unique key .* \(live\) while/,
  ))

test('a due job that a request for its unique key puts off is detected', () =>
  expectDetected(unique, uniqueMutations.dueJobsArePutOff, /is wrong: (rescheduled|replaced|named)/))

test('a slot that no job has is detected', () =>
  expectDetected(unique, uniqueMutations.requeuesLeaveSlots, /^the slot of the unique key .* names job/))
