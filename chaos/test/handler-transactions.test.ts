import { test } from '@jest/globals'
import { sourceDefects } from '../src/mutants/source-defects.ts'
import { handlerTransactions } from '../src/scenarios/handler-transactions.ts'
import { expectDetected, expectHeld } from './support/held.ts'

test('what a handler writes through ctx.transaction is there exactly where its attempt has succeeded, awaited or not, whatever is killed', () =>
  expectHeld(handlerTransactions))

test('a worker that lets attempts succeed whose transaction is open is detected', () =>
  expectDetected(handlerTransactions, sourceDefects.leavesTransactionsOpen, /succeeded without its writes/))

test('a worker that commits transactions after the end of their attempts is detected', () =>
  expectDetected(handlerTransactions, sourceDefects.takesTransactionsTooLate, /wrote after its end/))
