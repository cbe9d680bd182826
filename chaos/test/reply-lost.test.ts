import { test } from '@jest/globals'
import { replyLost } from '../src/scenarios/reply-lost.ts'
import { expectHeld } from './support/held.ts'

test('a claim, a finish or a renewal whose reply was lost leaves no job stuck and ends none twice', () =>
  expectHeld(replyLost))
