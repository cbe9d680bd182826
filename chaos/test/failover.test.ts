import { test } from '@jest/globals'
import { failover } from '../src/scenarios/failover.ts'
import { expectHeld } from './support/held.ts'

test('when a standby takes over, work goes on there, and what it had to have is not lost and does not run again', () =>
  expectHeld(failover))
