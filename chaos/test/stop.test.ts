import { test } from '@jest/globals'
import { stop } from '../src/scenarios/stop.ts'
import { expectHeld } from './support/held.ts'

test('worker processes that are told to stop at random moments lose nothing and charge nothing that never began', () =>
  expectHeld(stop))
