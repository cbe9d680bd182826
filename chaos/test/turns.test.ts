import { test } from '@jest/globals'
import { turns } from '../src/scenarios/turns.ts'
import { expectHeld } from './support/held.ts'

test('one job of a tenant starts soon beside the backlog of another, and weights say the parts', () =>
  expectHeld(turns))
