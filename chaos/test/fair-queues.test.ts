import { test } from '@jest/globals'
import { sourceDefects } from '../src/mutants/source-defects.ts'
import { fairQueues } from '../src/scenarios/fair-queues.ts'
import { expectDetected, expectHeld } from './support/held.ts'

test('queues of equal priority are served alike in any second of backlog', () => expectHeld(fairQueues))

test('a worker that fetches ahead although one of its queues may not wait is detected', () =>
  expectDetected(fairQueues, sourceDefects.fetchesPastLastAttempts, /jobs of one queue in a second/))

test('a worker that serves its queues in one order is detected', () =>
  expectDetected(fairQueues, sourceDefects.servesInOneOrder, /jobs of one queue in a second/))
