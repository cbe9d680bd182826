import { test } from '@jest/globals'
import { blocked } from '../src/scenarios/blocked.ts'
import { expectHeld } from './support/held.ts'

test('handlers that block the event loop keep their jobs, and an endless one gives its job up in time', () =>
  expectHeld(blocked))
