import { test } from '@jest/globals'
import { believesForged, pollsBeyondBounds } from '../src/mutants/bounds-defects.ts'
import { bounds } from '../src/scenarios/bounds.ts'
import { expectDetected, expectHeld } from './support/held.ts'

test('nobody chooses the address that the audit log has, and a wait tells nothing of jobs beyond its bounds', () =>
  expectHeld(bounds))

test('an address that its client has forged is detected', () =>
  expectDetected(bounds, believesForged, /^127\.0\.0\.1 with .* instead of/))

test('a wait that tells of a job beyond its bounds is detected', () =>
  expectDetected(
    bounds,
    pollsBeyondBounds,
    /^a wait with the bounds of (?:queues|a tenant, by conditions) .* (?:told the state of|waited for) a job/,
  ))
