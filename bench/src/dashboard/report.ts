import type { DashboardFigures, RequestFigure } from './run-dashboard.ts'

/** What a request of a page may take, with all of its queries. */
const requestMsMax = 200
/** What a count may take that somebody asks for by a button, once: it is exact up to 100 000 jobs. */
const countMsMax = 2_000

const msMaxOf = ({ body }: RequestFigure): number => (body === undefined ? requestMsMax : countMsMax)

/** How many requests have failed, or take more than they may. */
export function faultsOf({ requests, viewers }: DashboardFigures): number {
  return requests.filter((request) => !isWithin(request)).length + viewers.refused
}

/** The figures for a reader; what is slower than it may be is marked. */
export function renderDashboard(figures: DashboardFigures): string {
  const { jobs, requests, viewers } = figures
  const within = requests.filter(isWithin).length
  return `The dashboard with ${jobs} jobs

    median      max    query  ms of each request alone, and of the slowest of its queries, with what that reads
${requests.map(requestLine).join('\n')}

The slowest query of each page
${slowestOfPages(requests).join('\n')}

${within} of ${requests.length} requests within ${requestMsMax} ms, a count of what an act would change within ${countMsMax}
${viewers.count} viewers for ${viewers.seconds} s: ${viewers.answersPerSecond.toFixed(1)} answers a second, ${viewers.refused} refused, ${(100 * viewers.coreShare).toFixed(1)} % of a core of the API, ${viewers.queriesPerSecond.toFixed(1)} queries a second in the database
`
}

function isWithin(request: RequestFigure): boolean {
  return request.maxMs <= msMaxOf(request) && request.fault === undefined
}

const cell = (ms: number): string => ms.toFixed(1).padStart(8)

function requestLine(request: RequestFigure): string {
  const { page, p50Ms, maxMs, query, fault } = request
  const times = `${cell(p50Ms)} ${cell(maxMs)} ${query === undefined ? ' '.repeat(8) : cell(query.maxMs)}`
  const what = `${page}: ${pathOf(request)}${query === undefined ? '' : ` (${query.tables})`}`
  return `${isWithin(request) ? ' ' : '!'} ${times}  ${what}${fault === undefined ? '' : `: answered ${fault}`}`
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
