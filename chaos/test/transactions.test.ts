import { test } from '@jest/globals'
import { transactions } from '../src/scenarios/transactions.ts'
import { expectHeld } from './support/held.ts'

test('an enqueue in a transaction is there exactly when the transaction committed, kills or not', () =>
  expectHeld(transactions))
