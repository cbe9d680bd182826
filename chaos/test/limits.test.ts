import { test } from '@jest/globals'
import { limits } from '../src/scenarios/limits.ts'
import { order } from '../src/scenarios/order.ts'
import { pauses } from '../src/scenarios/pauses.ts'
import { turns } from '../src/scenarios/turns.ts'
import { expectHeld } from './support/held.ts'

test('kills and pauses let no limit be exceeded, and strand nothing behind it', () => expectHeld(limits))

test('jobs of a key in order start in it, and none beside another, whatever is killed', () =>
  expectHeld(order))

test('one job of a tenant starts soon beside the backlog of another, and weights say the parts', () =>
  expectHeld(turns))

test('no claim commits a start after a pause was answered, and a limit that became free is found', () =>
  expectHeld(pauses))
