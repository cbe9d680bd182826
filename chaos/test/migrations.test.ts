import { test } from '@jest/globals'
import { migrations } from '../src/scenarios/migrations.ts'
import { expectHeld } from './support/held.ts'

test('runs of migrations that are broken off under load leave each step whole or undone, and block nobody for longer than half a second', () =>
  expectHeld(migrations))
