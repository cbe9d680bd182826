import { test } from '@jest/globals'
import { sourceDefects } from '../src/mutants/source-defects.ts'
import { largePayloads } from '../src/scenarios/large-payloads.ts'
import { expectDetected, expectHeld } from './support/held.ts'

test('large payloads cost a worker that fetches ahead neither its pace nor its memory', () =>
  expectHeld(largePayloads))

test('a worker whose claims carry every payload is detected', () =>
  expectDetected(largePayloads, sourceDefects.carriesEveryPayload, /were read for jobs that had not begun/))
