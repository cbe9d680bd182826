import type { DashboardFigures, RequestFigure } from './run-dashboard.ts'

/** The maximum duration of a page's request, including its queries. */
const requestMsMax = 200
/** The maximum duration of a count that a button starts, which is exact up to 100 000 jobs. */
const countMsMax = 2_000

const msMaxOf = ({ body }: RequestFigure): number => (body === undefined ? requestMsMax : countMsMax)

/** The number of requests that failed or took longer than their maximum. */
export function faultsOf({ requests, viewers }: DashboardFigures): number {
  return requests.filter((request) => !isWithin(request)).length + viewers.refused
}

/** Renders the figures as text. Requests that are too slow or failed are marked with `!`. */
export function renderDashboard(figures: DashboardFigures): string {
  const { jobs, requests, viewers } = figures
  const fastCount = requests.filter(isWithin).length
  return `The dashboard with ${jobs} jobs

    median      max    query  ms of each request alone, and of its slowest query, with the tables that it reads
${requests.map(requestLine).join('\n')}

The slowest query of each page
${slowestOfPages(requests).join('\n')}

${fastCount} of ${requests.length} requests within ${requestMsMax} ms (counts of an action's jobs within ${countMsMax} ms)
${viewers.count} viewers for ${viewers.seconds} s: ${viewers.answersPerSecond.toFixed(1)} responses a second, ${viewers.refused} failed, ${(100 * viewers.coreShare).toFixed(1)} % of a core of the API, ${viewers.queriesPerSecond.toFixed(1)} queries a second in the database
`
}

function isWithin(request: RequestFigure): boolean {
  return request.maxMs <= msMaxOf(request) && request.fault === undefined
}

const cell = (ms: number): string => ms.toFixed(1).padStart(8)

function requestLine(request: RequestFigure): string {
  const { page, p50Ms, maxMs, query, fault } = request
  const times = `${cell(p50Ms)} ${cell(maxMs)} ${query === undefined ? ' '.repeat(8) : cell(query.maxMs)}`
  const label = `${page}: ${pathOf(request)}${query === undefined ? '' : ` (${query.tables})`}`
  return `${isWithin(request) ? ' ' : '!'} ${times}  ${label}${fault === undefined ? '' : `: failed: ${fault}`}`
}

function pathOf({ path, body }: RequestFigure): string {
  return body === undefined ? path : `POST ${path} ${JSON.stringify(body)}`
}

function slowestOfPages(requests: readonly RequestFigure[]): string[] {
  const pages = Map.groupBy(requests, ({ page }) => page)
  return [...pages].flatMap(([page, itsRequests]) => {
    const [slowest] = itsRequests.toSorted((a, b) => (b.query?.maxMs ?? 0) - (a.query?.maxMs ?? 0))
    if (slowest?.query === undefined) return []
    const { maxMs, tables } = slowest.query
    return [
      `${maxMs > msMaxOf(slowest) ? '!' : ' '} ${cell(maxMs)} ms  ${page}: ${tables}, for ${pathOf(slowest)}`,
    ]
  })
}
