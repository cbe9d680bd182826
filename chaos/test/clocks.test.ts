import { test } from '@jest/globals'
import { clocks } from '../src/scenarios/clocks.ts'
import { expectHeld } from './support/held.ts'

test('workers whose clocks are an hour off start nothing early and take nothing from each other', () =>
  expectHeld(clocks))
