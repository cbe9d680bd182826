import { test } from '@jest/globals'
import { order } from '../src/scenarios/order.ts'
import { expectHeld } from './support/held.ts'

test('jobs of a key in order start in it, and none beside another, whatever is killed', () =>
  expectHeld(order))
