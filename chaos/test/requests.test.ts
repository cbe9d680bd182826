import { test } from '@jest/globals'
import { allRequestDefects, requestDefects } from '../src/mutants/request-defects.ts'
import { requests } from '../src/scenarios/requests.ts'
import { expectDetected, expectHeld } from './support/held.ts'

test('answers are as the document says, no change is lost, and walks see each item once, over two processes', () =>
  expectHeld(requests))

test('a defect against each of these laws is detected', () =>
  expectDetected(requests, allRequestDefects, ...requestDefects.map(({ fault }) => fault)))
