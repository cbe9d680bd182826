import { test } from '@jest/globals'
import { kill } from '../src/scenarios/kill.ts'
import { expectHeld } from './support/held.ts'

test('kill -9 of worker processes at random loses no job, and none ends twice', () => expectHeld(kill))
