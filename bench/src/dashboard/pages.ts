/** A request that a page makes while it is open. */
export interface PageRequest {
  readonly page: string
  readonly path: string
  /** The polling interval in milliseconds; 0 for a request that is made once. */
  readonly everyMs: number
  /** The body of a POST: a dry run that counts the jobs that an action would change. */
  readonly body?: Readonly<Record<string, unknown>>
}

/** Existing objects, for the pages that show a single one. */
export interface ExistingIds {
  readonly waitingId: string
  readonly failedId: string
  readonly fingerprint: string
  readonly order: string
}

const liveMs = 2_000
const slowMs = 10_000
const minuteMs = 60_000
const hourMs = 60 * minuteMs

/** The requests of each page, as `queries.ts` of the dashboard has them. */
export function pageRequests({ waitingId, failedId, fingerprint, order }: ExistingIds): PageRequest[] {
  const since = (hours: number, stepMs = hourMs): string =>
    new Date(Math.floor((Date.now() - hours * hourMs) / stepMs) * stepMs).toISOString()
  const requestsOf = (page: string, everyMs: number, paths: readonly string[]): PageRequest[] =>
    paths.map((path) => ({ page, path, everyMs }))
  const counted = (page: string, path: string, filter: PageRequest['body'] = {}): PageRequest => ({
    page,
    path,
    everyMs: 0,
    body: { filter: { ...filter, created_before: new Date().toISOString() }, dry_run: true },
  })
  return [
    ...requestsOf('overview', liveMs, ['/queues?limit=200', '/workers']),
    ...requestsOf('overview', slowMs, [
      '/attention',
      '/schedules?limit=200',
      '/dead-letters?limit=6',
      `/stats?step=minute&from=${since(1, minuteMs)}`,
      `/stats?by=queue&step=minute&from=${since(1 / 12, minuteMs)}`,
    ]),
    ...requestsOf('numbers of a day, a week, a month', 0, [
      `/stats?step=hour&from=${since(24)}`,
      `/stats?step=hour&from=${since(7 * 24)}`,
      `/stats?step=day&from=${since(30 * 24)}`,
    ]),
    ...requestsOf('queue', slowMs, [`/stats?step=minute&from=${since(1, minuteMs)}&queue=queue-1`]),
    ...requestsOf('keys of a queue', slowMs, ['/queues/queue-1/keys?limit=50']),
    ...requestsOf('queue', slowMs, [
      `/stats?step=minute&from=${since(1, minuteMs)}&queue=queue-1`,
      '/jobs?limit=20&status=queued&queue=queue-1',
    ]),
    ...requestsOf('jobs', liveMs, ['/jobs?limit=50']),
    ...requestsOf('jobs by a filter', 0, [
      '/jobs?limit=50&status=queued',
      '/jobs?limit=50&status=succeeded',
      '/jobs?limit=50&status=failed_permanent',
      '/jobs?limit=50&kind=kind-7',
      '/jobs?limit=50&kind=none',
      '/jobs?limit=50&queue=queue-3&status=queued',
      `/jobs?limit=50&metadata.order_id=${order}`,
      '/jobs?limit=50&metadata.customer=c-510',
      `/jobs?limit=50&fingerprint=${fingerprint}`,
      '/jobs?limit=50&worker=worker-1',
      `/jobs?limit=50&created_before=${since(10 * 24)}`,
      `/jobs?limit=50&finished_after=${since(1)}`,
    ]),
    counted('act on all that match', '/jobs/cancel'),
    counted('act on all that match', '/jobs/cancel', { queue: 'queue-3' }),
    counted('act on all that match', '/jobs/requeue', { kind: 'kind-7' }),
    counted('act on all that match', '/jobs/delete', { metadata: { customer: 'c-510' } }),
    ...requestsOf('job', liveMs, [
      `/jobs/${failedId}`,
      `/jobs/${failedId}/executions`,
      `/jobs/${failedId}/logs`,
    ]),
    ...requestsOf('job that waits', liveMs, [`/jobs/${waitingId}`, `/jobs/${waitingId}/why`]),
    ...requestsOf('errors', slowMs, [
      `/errors?limit=100&sort=count&from=${since(24)}`,
      `/errors?limit=100&fingerprint=${fingerprint}`,
    ]),
    ...requestsOf('errors of a week, a month', 0, [
      `/errors?limit=100&sort=count&from=${since(7 * 24)}`,
      `/errors?limit=100&sort=count&from=${since(30 * 24)}`,
      `/errors?limit=100&by=version&fingerprint=${fingerprint}&from=${since(7 * 24)}`,
    ]),
    ...requestsOf('dead letters', liveMs, ['/dead-letters?limit=50']),
    ...requestsOf('dead letters by a filter', 0, [
      '/dead-letters?limit=50&kind=kind-7',
      `/dead-letters?limit=50&fingerprint=${fingerprint}`,
    ]),
    ...requestsOf('schedule', liveMs, ['/schedules/nightly', '/schedules/nightly/preview']),
    ...requestsOf('schedule', slowMs, ['/jobs?limit=20&schedule=nightly']),
    ...requestsOf('operations', liveMs, ['/operations?limit=50']),
    ...requestsOf('limits', liveMs, ['/limits?limit=200']),
    ...requestsOf('kinds', slowMs, ['/kinds']),
    ...requestsOf('audit', liveMs, [
      '/audit?limit=50',
      '/audit?limit=50&act=job.cancel',
      `/audit?limit=50&job_id=${failedId}`,
    ]),
    ...requestsOf('keys', slowMs, ['/keys']),
    ...requestsOf('system', slowMs, ['/health']),
  ]
}

/** The pages that viewers have open, mostly the overview and the jobs. */
export const viewedPages = ['overview', 'jobs', 'overview', 'queue', 'errors'] as const
