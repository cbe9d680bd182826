import type { Queue } from '@queue/core'
import { prismaTransaction } from '@queue/core/prisma'
import type { PrismaClient } from '../generated/client.ts'
import { confirmOrder } from './jobs.ts'

/** The order and its job commit together, or neither does. */
export async function placeOrder(prisma: PrismaClient, queue: Queue, order: { id: string; email: string }) {
  await prisma.$transaction(async (tx) => {
    await tx.order.create({ data: order })
    const job = { orderId: order.id, email: order.email }
    await queue.enqueue(confirmOrder, job, { transaction: prismaTransaction(tx) })
  })
}
