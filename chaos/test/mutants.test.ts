import { test } from '@jest/globals'
import { mutants } from '../src/scenarios/mutants.ts'
import { expectHeld } from './support/held.ts'

test('statements with a planted defect are found out by the fault that they make, and sound ones raise no alarm', () =>
  expectHeld(mutants))
