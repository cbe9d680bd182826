import { type MetricsRegistry, renderMetrics } from '@queue/telemetry'
import { jsonAnswer } from './ops-thread/json-answer.ts'
import type { Answer, AskedPage } from './ops-thread/protocol.ts'
import type { Readiness } from './readiness.ts'

export interface OpsPagesOptions {
  readonly registry: MetricsRegistry
  readonly readiness: Readiness
}

/** The pages that need what only the main thread has. The function given never rejects. */
export function createOpsPages(options: OpsPagesOptions): (page: AskedPage) => Promise<Answer> {
  return async (page) => {
    try {
      return page === 'metrics'
        ? { status: 200, ...(await renderMetrics(options.registry)) }
        : await readyAnswer(options)
    } catch {
      // A page that fails is a fault of ours; what failed is not for the client to read.
      return jsonAnswer(500, { status: 'error' })
    }
  }
}

async function readyAnswer({ readiness }: OpsPagesOptions): Promise<Answer> {
  const report = await readiness()
  return jsonAnswer(report.status === 'ready' ? 200 : 503, report)
}
