import { test } from '@jest/globals'
import { commitUnknown } from '../src/scenarios/commit-unknown.ts'
import { expectHeld } from './support/held.ts'

test('an enqueue whose reply was lost, sent again with its key, is one job', () => expectHeld(commitUnknown))
