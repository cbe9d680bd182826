import type { DashboardFigures } from './run-dashboard.ts'

/** What a request of a page may take. */
const requestMsMax = 200

/** The figures for a reader; what is slower than it may be is marked. */
export function renderDashboard({ jobs, requests, viewers }: DashboardFigures): string {
  const lines = requests.map(
    ({ page, path, p50Ms, maxMs }) =>
      `${maxMs > requestMsMax ? '!' : ' '} ${p50Ms.toFixed(1).padStart(8)} ${maxMs.toFixed(1).padStart(8)}  ${page}: ${path}`,
  )
  const slow = requests.filter(({ maxMs }) => maxMs > requestMsMax).length
  return `The dashboard with ${jobs} jobs

    median      max  ms of each request alone
${lines.join('\n')}

${slow === 0 ? 'each' : `all but ${slow}`} of ${requests.length} within ${requestMsMax} ms
${viewers.count} viewers for ${viewers.seconds} s: ${viewers.answersPerSecond.toFixed(1)} answers a second, ${(100 * viewers.coreShare).toFixed(1)} % of a core of the API, ${viewers.queriesPerSecond.toFixed(1)} queries a second in the database
`
}
