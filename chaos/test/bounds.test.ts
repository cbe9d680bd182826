import { test } from '@jest/globals'
import { bounds } from '../src/scenarios/bounds.ts'
import { expectHeld } from './support/held.ts'

test('nobody chooses the address that the audit log has, and a wait tells nothing of jobs beyond its bounds', () =>
  expectHeld(bounds))
