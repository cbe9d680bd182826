import { type MetricsRegistry, renderMetrics } from '@queue/telemetry'
import type { OpsEndpoints } from './ops-thread/launch-ops-thread.ts'
import { type Answer, jsonAnswer, mainThreadEndpoints } from './ops-thread/protocol.ts'
import type { Readiness } from './readiness.ts'

export interface OpsEndpointsOptions {
  /** The metrics of /metrics; absent: there is no such endpoint. */
  readonly registry?: MetricsRegistry
  readonly readiness: Readiness
}

/** The endpoints that the main thread must answer. */
export function createOpsEndpoints({ registry, readiness }: OpsEndpointsOptions): OpsEndpoints {
  return {
    served: mainThreadEndpoints.filter((endpoint) => endpoint !== 'metrics' || registry !== undefined),
    answer: async (endpoint) => {
      try {
        return endpoint === 'metrics' && registry !== undefined
          ? { status: 200, ...(await renderMetrics(registry)) }
          : await readyAnswer(readiness)
      } catch {
        // The error of an endpoint is internal, so the client does not see it.
        return jsonAnswer(500, { status: 'error' })
      }
    },
  }
}

async function readyAnswer(readiness: Readiness): Promise<Answer> {
  const report = await readiness()
  return jsonAnswer(report.status === 'ready' ? 200 : 503, report)
}
