import { test } from '@jest/globals'
import { pauses } from '../src/scenarios/pauses.ts'
import { expectHeld } from './support/held.ts'

test('no claim commits a start after a pause was answered, and a limit that became free is found', () =>
  expectHeld(pauses))
