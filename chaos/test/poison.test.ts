import { test } from '@jest/globals'
import { poison } from '../src/scenarios/poison.ts'
import { expectHeld } from './support/held.ts'

test('jobs that kill their process become dead letters within their attempts, and take no neighbour with them', () =>
  expectHeld(poison))
