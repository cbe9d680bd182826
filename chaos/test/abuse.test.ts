import { test } from '@jest/globals'
import { abuse } from '../src/scenarios/abuse.ts'
import { expectHeld } from './support/held.ts'

test('beside a key that repeats a request on 200 connections, another gets every answer, and loses nothing', () =>
  expectHeld(abuse))
