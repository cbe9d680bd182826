/** What a page asks for while it is shown, and how often: 0 for what is asked once. */
export interface PageRequest {
  readonly page: string
  readonly path: string
  readonly everyMs: number
  /** Of a POST: a dry run, by which an act on many counts first. */
  readonly body?: Readonly<Record<string, unknown>>
}

/** Some of what is there, so that pages about one thing have one. */
export interface Known {
  readonly waitingId: string
  readonly failedId: string
  readonly fingerprint: string
  readonly order: string
}

const live = 2_000
const slow = 10_000
const minuteMs = 60_000
const hourMs = 60 * minuteMs

/** The requests of each page, as `queries.ts` of the dashboard has them. */
export function pageRequests({ waitingId, failedId, fingerprint, order }: Known): PageRequest[] {
  const since = (hours: number, stepMs = hourMs): string =>
    new Date(Math.floor((Date.now() - hours * hourMs) / stepMs) * stepMs).toISOString()
  const of = (page: string, everyMs: number, paths: readonly string[]): PageRequest[] =>
    paths.map((path) => ({ page, path, everyMs }))
  const counted = (page: string, path: string, filter: PageRequest['body'] = {}): PageRequest => ({
    page,
    path,
    everyMs: 0,
    body: { filter: { ...filter, created_before: new Date().toISOString() }, dry_run: true },
  })
  return [
    ...of('overview', live, ['/queues?limit=200', '/workers']),
    ...of('overview', slow, [
      '/attention',
      '/schedules?limit=200',
      '/dead-letters?limit=6',
      `/stats?step=minute&from=${since(1, minuteMs)}`,
      `/stats?by=queue&step=minute&from=${since(1 / 12, minuteMs)}`,
    ]),
    ...of('numbers of a day, a week, a month', 0, [
      `/stats?step=hour&from=${since(24)}`,
      `/stats?step=hour&from=${since(7 * 24)}`,
      `/stats?step=day&from=${since(30 * 24)}`,
    ]),
    ...of('queue', slow, [`/stats?step=minute&from=${since(1, minuteMs)}&queue=queue-1`]),
    ...of('keys of a queue', slow, ['/queues/queue-1/keys?limit=50']),
    ...of('queue', slow, [
      `/stats?step=minute&from=${since(1, minuteMs)}&queue=queue-1`,
      '/jobs?limit=20&status=queued&queue=queue-1',
    ]),
    ...of('jobs', live, ['/jobs?limit=50']),
    ...of('jobs by a filter', 0, [
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
    ...of('job', live, [`/jobs/${failedId}`, `/jobs/${failedId}/executions`, `/jobs/${failedId}/logs`]),
    ...of('job that waits', live, [`/jobs/${waitingId}`, `/jobs/${waitingId}/why`]),
    ...of('errors', slow, [
      `/errors?limit=100&sort=count&from=${since(24)}`,
      `/errors?limit=100&fingerprint=${fingerprint}`,
    ]),
    ...of('errors of a week, a month', 0, [
      `/errors?limit=100&sort=count&from=${since(7 * 24)}`,
      `/errors?limit=100&sort=count&from=${since(30 * 24)}`,
      `/errors?limit=100&by=version&fingerprint=${fingerprint}&from=${since(7 * 24)}`,
    ]),
    ...of('dead letters', live, ['/dead-letters?limit=50']),
    ...of('dead letters by a filter', 0, [
      '/dead-letters?limit=50&kind=kind-7',
      `/dead-letters?limit=50&fingerprint=${fingerprint}`,
    ]),
    ...of('schedule', live, ['/schedules/nightly', '/schedules/nightly/preview']),
    ...of('schedule', slow, ['/jobs?limit=20&schedule=nightly']),
    ...of('operations', live, ['/operations?limit=50']),
    ...of('limits', live, ['/limits?limit=200']),
    ...of('kinds', slow, ['/kinds']),
    ...of('audit', live, [
      '/audit?limit=50',
      '/audit?limit=50&act=job.cancel',
      `/audit?limit=50&job_id=${failedId}`,
    ]),
    ...of('keys', slow, ['/keys']),
    ...of('system', slow, ['/health']),
  ]
}

/** The pages that viewers have open: most the overview and the jobs. */
export const viewedPages = ['overview', 'jobs', 'overview', 'queue', 'errors'] as const
