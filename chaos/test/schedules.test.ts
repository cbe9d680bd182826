import { test } from '@jest/globals'
import { schedules } from '../src/scenarios/schedules.ts'
import { expectHeld } from './support/held.ts'

test('kills and restarts make no instant of a schedule two jobs, and drop none that its policy keeps', () =>
  expectHeld(schedules))
