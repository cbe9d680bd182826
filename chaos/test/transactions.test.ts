import { test } from '@jest/globals'
import { transactions } from '../src/rows/transactions.ts'
import { expectHeld } from './support/held.ts'

test('an enqueue in a transaction is there exactly when the transaction committed, kills or not', () =>
  expectHeld(transactions))
