import { test } from '@jest/globals'
import { limits } from '../src/scenarios/limits.ts'
import { expectHeld } from './support/held.ts'

test('kills and pauses let no limit be exceeded, and strand nothing behind it', () => expectHeld(limits))
