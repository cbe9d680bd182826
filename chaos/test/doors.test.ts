import { test } from '@jest/globals'
import { allDoorDefects, doorDefects, doorMutations } from '../src/mutants/door-defects.ts'
import { doors } from '../src/scenarios/doors.ts'
import { expectDetected, expectHeld } from './support/held.ts'

test('an option has one name and one meaning in every way to enqueue, and acts keep what they are not about', () =>
  expectHeld(doors))

test('an option that one way ignores, drops or does not copy is detected', () =>
  expectDetected(doors, allDoorDefects, ...doorDefects.map(({ fault }) => fault)))

test('a default that SQL forgets is detected', () =>
  expectDetected(
    doors,
    doorMutations.forgetsDefaults,
    /^(the library|the API) shows of the job of sql .*: weight is/,
  ))
