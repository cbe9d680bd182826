import type { TransactionClient } from '@queue/postgres'
import { driverError } from './driver-error.ts'
import { plainValues } from '@queue/postgres'

/** The part of Drizzle's tag `sql` that builds a statement with parameters. */
export interface DrizzleSql<Sql> {
  raw(text: string): Sql
  // oxlint-disable-next-line typescript/no-explicit-any -- the kinds of chunks that it takes are Drizzle's business.
  join(chunks: any[]): Sql
  param(value: unknown): unknown
}

/** A transaction of Drizzle on PostgreSQL, with any driver. */
export interface DrizzleTransaction<Sql> {
  // oxlint-disable-next-line typescript/no-explicit-any -- the answer is that of its driver.
  execute(statement: Sql): PromiseLike<any>
}

/**
 * A transaction of Drizzle as the option `transaction` of an enqueue: `drizzleTransaction(tx, sql)`. `sql` is that of
 * `drizzle-orm`, which this package does not depend on.
 */
export function drizzleTransaction<Sql>(
  tx: DrizzleTransaction<Sql>,
  sql: DrizzleSql<Sql>,
): TransactionClient {
  return {
    query: async ({ text, values }) => {
      try {
        const answer = await tx.execute(sql.join(chunksOf(text, plainValues(values), sql)))
        return { rows: Array.isArray(answer) ? answer : answer.rows }
      } catch (error) {
        throw driverError(error)
      }
    },
  }
}

const placeholder = /\$(\d+)/

/** The chunks of a statement. Split at its placeholders, every second part is the number of a parameter. */
function chunksOf<Sql>(text: string, values: readonly unknown[], sql: DrizzleSql<Sql>): unknown[] {
  return text
    .split(placeholder)
    .map((part, index) => (index % 2 === 0 ? sql.raw(part) : sql.param(values[Number(part) - 1])))
}
