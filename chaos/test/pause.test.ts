import { test } from '@jest/globals'
import { pause } from '../src/scenarios/pause.ts'
import { expectHeld } from './support/held.ts'

test('a worker process that was paused past its lease changes nothing when it goes on', () =>
  expectHeld(pause))
