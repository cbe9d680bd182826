import type { TransactionClient } from '@queue/postgres'
import { plainValues } from '@queue/postgres'

/** The `sql` that `sql.begin` of postgres.js passes to its callback. */
export interface PostgresJsTransaction {
  // oxlint-disable-next-line typescript/no-explicit-any -- the types of its parameters and rows are its own business.
  unsafe(text: string, values?: any[]): PromiseLike<any>
}

/** A transaction of postgres.js as the option `transaction` of an enqueue: `postgresJsTransaction(tx)`. */
export function postgresJsTransaction(tx: PostgresJsTransaction): TransactionClient {
  return { query: async ({ text, values }) => ({ rows: [...(await tx.unsafe(text, plainValues(values)))] }) }
}
