import { test } from '@jest/globals'
import { databaseAway } from '../src/scenarios/database-away.ts'
import { expectHeld } from './support/held.ts'

test('when the database goes away no worker exits, and work resumes within 15 s', () =>
  expectHeld(databaseAway))
