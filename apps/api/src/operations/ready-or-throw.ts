import type { Readiness, ReadinessReport } from '@queue/service'
import { Problem } from '../http/problem.ts'

/** The report of a server that is ready. Throws 503, with what keeps it from it, otherwise. */
export async function readyOrThrow(readiness: Readiness): Promise<ReadinessReport> {
  const report = await readiness()
  if (report.status === 'ready') return report
  throw new Problem('not_ready', { members: { checks: report.checks } })
}
