import { test } from '@jest/globals'
import { sourceDefects } from '../src/mutants/source-defects.ts'
import { stop } from '../src/scenarios/stop.ts'
import { stopWorkerApps } from '../src/stops/stop-worker-apps.ts'
import { expectDetected, expectHeld } from './support/held.ts'

test('worker processes that are told to stop at random moments lose nothing and charge nothing that never began', () =>
  expectHeld(stop))

test('a process that starts on after it was told to stop is detected', () =>
  expectDetected(
    { ...stop, reduced: { ...stop.reduced, count: 2 }, run: stopWorkerApps },
    sourceDefects.startsOn,
    /registered as active/,
  ))
