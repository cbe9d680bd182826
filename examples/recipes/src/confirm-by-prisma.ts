import { handle } from '@queue/worker'
import type { PrismaClient } from '../generated/client.ts'
import { confirmOrder } from './jobs.ts'

/** The confirmation commits before the job ends. The id of the job makes a repeat harmless. */
export const confirmByPrisma = (prisma: PrismaClient) =>
  handle(confirmOrder, async (job) => {
    const { id: jobId, payload } = job
    await prisma.confirmation.upsert({
      where: { jobId },
      create: { jobId, orderId: payload.orderId },
      update: {},
    })
  })
