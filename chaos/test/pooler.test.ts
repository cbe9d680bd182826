import { test } from '@jest/globals'
import { pooler } from '../src/scenarios/pooler.ts'
import { expectHeld } from './support/held.ts'

test('workers behind a pooler in transaction mode lose nothing when they are killed', () =>
  expectHeld(pooler))
