import { test } from '@jest/globals'
import { lock } from '../src/scenarios/lock.ts'
import { expectHeld } from './support/held.ts'

test('workers behind a lock on the jobs have no more connections than their lines say, and go on when it is gone', () =>
  expectHeld(lock))
