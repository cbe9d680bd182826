import { test } from '@jest/globals'
import { migrationStalls } from '../src/scenarios/migration-stalls.ts'
import { expectHeld } from './support/held.ts'

test('enqueues go on while a large table is migrated: nobody waits for a runner for longer than half a second', () =>
  expectHeld(migrationStalls))
