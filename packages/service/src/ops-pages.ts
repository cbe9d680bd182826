import { type MetricsRegistry, renderMetrics } from '@queue/telemetry'
import type { OpsPages } from './ops-thread/launch-ops-thread.ts'
import { jsonAnswer } from './ops-thread/json-answer.ts'
import { type Answer, askedPages } from './ops-thread/protocol.ts'
import type { Readiness } from './readiness.ts'

export interface OpsPagesOptions {
  /** What /metrics shows; absent: there is no such page. */
  readonly registry?: MetricsRegistry
  readonly readiness: Readiness
}

/** The pages that need what only the main thread has. */
export function createOpsPages({ registry, readiness }: OpsPagesOptions): OpsPages {
  return {
    served: askedPages.filter((page) => page !== 'metrics' || registry !== undefined),
    answer: async (page) => {
      try {
        return page === 'metrics' && registry !== undefined
          ? { status: 200, ...(await renderMetrics(registry)) }
          : await readyAnswer(readiness)
      } catch {
        // A page that fails is a fault of ours; what failed is not for the client to read.
        return jsonAnswer(500, { status: 'error' })
      }
    },
  }
}

async function readyAnswer(readiness: Readiness): Promise<Answer> {
  const report = await readiness()
  return jsonAnswer(report.status === 'ready' ? 200 : 503, report)
}
