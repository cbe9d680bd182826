import type { TransactionClient } from '@queue/postgres'
import { driverError } from './driver-error.ts'
import { plainValues } from '@queue/postgres'

/** The client that `prisma.$transaction` passes to its callback. */
export interface PrismaTransaction {
  $queryRawUnsafe<Rows>(text: string, ...values: unknown[]): PromiseLike<Rows>
}

/** A transaction of Prisma as the option `transaction` of an enqueue: `prismaTransaction(tx)`. */
export function prismaTransaction(tx: PrismaTransaction): TransactionClient {
  return {
    query: async ({ text, values }) => {
      try {
        return { rows: await tx.$queryRawUnsafe<object[]>(text, ...plainValues(values)) }
      } catch (error) {
        throw driverError(error)
      }
    },
  }
}
