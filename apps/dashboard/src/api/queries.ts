import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query'
import type {
  AuditFilter,
  DeadLetterFilter,
  ErrorPageQuery,
  JobFilter,
  LogLevel,
  OperationFilter,
  Queue,
  Schedule,
} from '@queue/client'
import { ratesByQueue } from '../clears-in.ts'
import { failuresTimeOf, type NumbersScope, queueRatesQuery, statsQueryOf } from '../numbers-range.ts'
import type { NumbersSearch } from '../search.ts'
import { nowMs } from '../shell/clock.ts'
import { isPaused } from '../shell/live.ts'
import { client, readHealth, readLimit, readSession } from './client.ts'

/** The default polling interval of a visible page. */
export const liveMs = 2_000
/** For data that changes with heartbeats, every ten seconds. */
const heartbeatMs = 5_000
const slowMs = 10_000
/** For data that is expensive to read, or that covers minutes. */
const rareMs = 30_000
const pageRows = 50
/** The page size of the API. */
const logLines = 200
/** The number of failures on the overview. */
const latestFailures = 6
const scheduleRuns = 20
/** Among this many waiting jobs, usually one is due. */
const waitingJobs = 20
const errorGroups = 100
/** The maximum number of keys that the API lists. */
const queueKeys = 50

/** Processes write their counts every ten seconds. Hours and days change slowly. */
const pollMsOf = ({ range = '1h', from }: NumbersSearch): number =>
  range === '1h' && from === undefined ? slowMs : 2 * rareMs

const whileLive = (ms: number) => () => (isPaused() ? false : ms)

export const queries = {
  session: queryOptions({ queryKey: ['session'], queryFn: readSession, staleTime: Infinity }),
  me: queryOptions({ queryKey: ['me'], queryFn: ({ signal }) => client.me({ signal }), staleTime: 60_000 }),
  queues: queryOptions({
    queryKey: ['queues'],
    queryFn: ({ signal }) => collect<Queue>(client.queues({ signal })),
    refetchInterval: whileLive(liveMs),
  }),
  /** The keys with the most waiting jobs. Counting or sampling them is expensive if many jobs wait. */
  queueKeys: (queue: string) =>
    queryOptions({
      queryKey: ['queues', queue, 'keys'],
      queryFn: ({ signal }) => client.queueKeys(queue, { limit: queueKeys }, { signal }),
      refetchInterval: whileLive(rareMs),
    }),
  attention: queryOptions({
    queryKey: ['attention'],
    queryFn: ({ signal }) => client.attention({ signal }),
    refetchInterval: whileLive(slowMs),
  }),
  workers: queryOptions({
    queryKey: ['workers'],
    queryFn: ({ signal }) => client.workers({ signal }),
    refetchInterval: whileLive(heartbeatMs),
  }),
  schedules: queryOptions({
    queryKey: ['schedules'],
    queryFn: ({ signal }) => collect<Schedule>(client.schedules({ limit: 200 }, { signal })),
    refetchInterval: whileLive(rareMs),
  }),
  schedule: (name: string) =>
    queryOptions({
      queryKey: ['schedules', name],
      queryFn: ({ signal }) => client.schedule(name, { signal }),
      refetchInterval: whileLive(liveMs),
    }),
  preview: (name: string) =>
    queryOptions({
      queryKey: ['schedules', name, 'preview'],
      queryFn: ({ signal }) => client.previewSchedule(name, { signal }),
      refetchInterval: whileLive(60_000),
    }),
  /** The last runs of a schedule, found among all jobs, which is expensive if there are many others. */
  runs: (schedule: string) =>
    queryOptions({
      queryKey: ['jobs', 'runs', schedule],
      queryFn: ({ signal }) => client.jobsPage({ schedule, limit: scheduleRuns }, { signal }),
      refetchInterval: whileLive(slowMs),
    }),
  latestFailures: queryOptions({
    queryKey: ['dead-letters', 'latest'],
    queryFn: ({ signal }) => client.deadLettersPage({ limit: latestFailures }, { signal }),
    refetchInterval: whileLive(rareMs),
  }),
  /** The first page of error groups, last seen first. */
  errors: (filter: ErrorPageQuery) =>
    queryOptions({
      queryKey: ['errors', filter],
      queryFn: ({ signal }) => client.errorsPage({ ...filter, limit: errorGroups }, { signal }),
      refetchInterval: whileLive(slowMs),
      placeholderData: keepPreviousData,
    }),
  /** The first page of error groups in a time range. One request for all rows, shared by all viewers. */
  errorsIn: (filter: ErrorPageQuery, search: NumbersSearch) =>
    queryOptions({
      queryKey: ['errors', filter, search],
      queryFn: ({ signal }) =>
        client.errorsPage({ ...filter, ...failuresTimeOf(search, nowMs()), limit: errorGroups }, { signal }),
      refetchInterval: whileLive(search.range === '30d' || search.range === '7d' ? 2 * rareMs : slowMs),
      placeholderData: keepPreviousData,
    }),
  /** The last seen error group, at any time. */
  latestError: (filter: ErrorPageQuery) =>
    queryOptions({
      queryKey: ['errors', 'latest', filter],
      queryFn: ({ signal }) => client.errorsPage({ ...filter, limit: 1 }, { signal }),
      refetchInterval: whileLive(rareMs),
    }),
  stats: (scope: NumbersScope, search: NumbersSearch) =>
    queryOptions({
      queryKey: ['stats', scope, search],
      queryFn: ({ signal }) => client.stats({ ...scope, ...statsQueryOf(search, nowMs()) }, { signal }),
      refetchInterval: whileLive(pollMsOf(search)),
      placeholderData: keepPreviousData,
    }),
  /** The recent counts of all queues: one request, shared by all viewers. */
  queueRates: queryOptions({
    queryKey: ['stats', 'by queue'],
    queryFn: async ({ signal }) => ratesByQueue(await client.stats(queueRatesQuery(nowMs()), { signal })),
    refetchInterval: whileLive(rareMs),
  }),
  kinds: queryOptions({
    queryKey: ['kinds'],
    queryFn: ({ signal }) => client.kinds({ signal }),
    refetchInterval: whileLive(slowMs),
  }),
  kind: (name: string) =>
    queryOptions({
      queryKey: ['kinds', name],
      queryFn: ({ signal }) => client.kind(name, { signal }),
      refetchInterval: whileLive(slowMs),
    }),
  operation: (id: string) =>
    queryOptions({
      queryKey: ['operations', id],
      queryFn: ({ signal }) => client.operation(id, { signal }),
      refetchInterval: ({ state }) =>
        isPaused() || typeof state.data?.finished_at === 'string' ? false : liveMs,
    }),
  /** The first page of limits. */
  limits: (queue: string | undefined) =>
    queryOptions({
      queryKey: ['limits', queue],
      queryFn: async ({ signal }) =>
        (await client.limitsPage({ limit: 200, ...(queue !== undefined && { queue }) }, { signal })).data,
      refetchInterval: whileLive(liveMs),
    }),
  /** The limit of one key, or null. */
  keyLimit: (queue: string, name: string) =>
    queryOptions({
      queryKey: ['limits', queue, 'key', name],
      queryFn: async ({ signal }) => (await readLimit({ queue, scope: 'key', name }, { signal })) ?? null,
      staleTime: 0,
      gcTime: 0,
    }),
  keys: queryOptions({
    queryKey: ['keys'],
    queryFn: ({ signal }) => client.keys({ signal }),
    refetchInterval: whileLive(slowMs),
  }),
  diagnosis: queryOptions({
    queryKey: ['diagnosis'],
    queryFn: ({ signal }) => client.diagnosis({ signal }),
    refetchInterval: whileLive(slowMs),
  }),
  health: queryOptions({
    queryKey: ['health'],
    queryFn: ({ signal }) => readHealth(signal),
    refetchInterval: whileLive(slowMs),
  }),
  /** The newest jobs, from which the search collects known values. */
  newestJobs: queryOptions({
    queryKey: ['jobs', 'newest'],
    queryFn: ({ signal }) => client.jobsPage({ limit: pageRows }, { signal }),
    staleTime: slowMs,
  }),
  job: (id: string) =>
    queryOptions({ queryKey: ['jobs', id], queryFn: ({ signal }) => client.get(id, { signal }) }),
  /** The newest waiting jobs of a queue. */
  waiting: (queue: string) =>
    queryOptions({
      queryKey: ['jobs', 'waiting', queue],
      queryFn: ({ signal }) => client.jobsPage({ queue, status: 'queued', limit: waitingJobs }, { signal }),
      refetchInterval: whileLive(slowMs),
    }),
  /** Why a job does not start. It is polled, because the event stream reports only changes of the job itself. */
  why: (id: string) =>
    queryOptions({
      queryKey: ['jobs', id, 'why'],
      queryFn: ({ signal }) => client.why(id, { signal }),
      refetchInterval: whileLive(liveMs),
    }),
  /** The running jobs of a worker, the newest first. */
  runningOfWorker: (worker: string) =>
    queryOptions({
      queryKey: ['jobs', 'running', 'worker', worker],
      queryFn: ({ signal }) => client.jobsPage({ worker, status: 'running', limit: pageRows }, { signal }),
      refetchInterval: whileLive(liveMs),
    }),
  /** The running jobs of a queue, the newest first. */
  runningOfQueue: (queue: string) =>
    queryOptions({
      queryKey: ['jobs', 'running', 'queue', queue],
      queryFn: ({ signal }) => client.jobsPage({ queue, status: 'running', limit: pageRows }, { signal }),
      refetchInterval: whileLive(liveMs),
    }),
  executions: (id: string) =>
    queryOptions({
      queryKey: ['jobs', id, 'executions'],
      queryFn: ({ signal }) => client.executions(id, { signal }),
    }),
} as const

interface FollowedLog {
  readonly level: LogLevel
  /** Whether lines may still be added. */
  readonly isLive: boolean
}

/** Paginated lists. */
export const lists = {
  jobs: (filter: JobFilter) => ({
    queryKey: ['jobs', 'list', filter],
    everyMs: liveMs,
    fetchPage: (cursor: string | undefined, signal: AbortSignal) =>
      client.jobsPage({ ...filter, limit: pageRows, ...(cursor !== undefined && { cursor }) }, { signal }),
  }),
  deadLetters: (filter: DeadLetterFilter) => ({
    queryKey: ['dead-letters', filter],
    everyMs: slowMs,
    fetchPage: (cursor: string | undefined, signal: AbortSignal) =>
      client.deadLettersPage(
        { ...filter, limit: pageRows, ...(cursor !== undefined && { cursor }) },
        { signal },
      ),
  }),
  logs: (id: string, { level, isLive }: FollowedLog) =>
    infiniteQueryOptions({
      queryKey: ['jobs', id, 'logs', level],
      queryFn: ({ pageParam, signal }) =>
        client.logsPage(
          id,
          { level, limit: logLines, ...(pageParam !== undefined && { cursor: pageParam }) },
          { signal },
        ),
      initialPageParam: undefined as string | undefined,
      getNextPageParam: (last) => last.next_cursor ?? undefined,
      refetchInterval: isLive ? whileLive(liveMs) : false,
      // While another level loads, the lines of the previous one stay, but never those of another job.
      placeholderData: (lines, query) => (query?.queryKey[1] === id ? lines : undefined),
    }),
  operations: (filter: OperationFilter) => ({
    queryKey: ['operations', 'list', filter],
    everyMs: slowMs,
    fetchPage: (cursor: string | undefined, signal: AbortSignal) =>
      client.operationsPage(
        { ...filter, limit: pageRows, ...(cursor !== undefined && { cursor }) },
        { signal },
      ),
  }),
  audit: (filter: AuditFilter) => ({
    queryKey: ['audit', filter],
    everyMs: slowMs,
    fetchPage: (cursor: string | undefined, signal: AbortSignal) =>
      client.auditPage({ ...filter, limit: pageRows, ...(cursor !== undefined && { cursor }) }, { signal }),
  }),
} as const

async function collect<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const all: Item[] = []
  for await (const item of items) all.push(item)
  return all
}
