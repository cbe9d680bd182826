import { type JobFilter, jobStatuses, type JobStatus, type LogLevel, type Operation } from '@queue/client'
import { type RangeName, rangeNames } from './ranges.ts'

/** The search parameters of the list of jobs. */
export interface JobSearch {
  readonly status?: JobStatus
  readonly kind?: string
  readonly queue?: string
  readonly tenant?: string
  readonly key?: string
  readonly created_after?: string
  readonly created_before?: string
  readonly finished_after?: string
  readonly finished_before?: string
  /** Fingerprints of failed attempts, separated by commas. One must match. */
  readonly fingerprint?: string
  readonly schedule?: string
  readonly worker?: string
  readonly worker_version?: string
  /** The job in the preview. */
  readonly peek?: string
  /** The additional columns, separated by commas. */
  readonly cols?: string
  /** Required metadata: `metadata.order_id=4711`. */
  readonly [name: `metadata.${string}`]: string | undefined
}

export interface DeadLetterSearch {
  readonly kind?: string
  readonly queue?: string
  readonly tenant?: string
  readonly dead_lettered_after?: string
  readonly dead_lettered_before?: string
  /** Dead letters of one error group. */
  readonly fingerprint?: string
}

/** The order of error groups: most failures first, newest first, or last seen first. */
export const errorSorts = ['count', 'first', 'last'] as const

export type ErrorSort = (typeof errorSorts)[number]

export interface ErrorSearch extends NumbersSearch {
  readonly kind?: string
  readonly queue?: string
  readonly tenant?: string
  /** Only error groups that were first seen in this worker version. */
  readonly new?: string
  /** Absent: `count`. */
  readonly sort?: ErrorSort
}

export interface AuditSearch {
  readonly actor?: string
  readonly act?: string
  readonly job_id?: string
}

/** The time range of the numbers; absent: the last hour. */
export interface NumbersSearch {
  readonly range?: RangeName
  /** A part of the time that the user selected, instead of a range. */
  readonly from?: string
  readonly to?: string
}

/** The tabs of the page of a queue. */
const queueTabs = ['overview', 'keys', 'limits', 'workers'] as const
export type QueueTab = (typeof queueTabs)[number]

export interface QueueSearch extends NumbersSearch {
  /** Absent: `overview`. */
  readonly tab?: QueueTab
}

export interface OperationSearch {
  readonly state?: Operation['state']
}

export interface JobPageSearch {
  /** The open attempt, by its lease token. */
  readonly attempt?: string | undefined
  /** The lease tokens of the two compared attempts, as `1-3`. */
  readonly compare?: string | undefined
  /** The lowest log level that is shown. */
  readonly level?: LogLevel
}

type Params = Readonly<Record<string, unknown>>

/** The text parameters of an address. Others and empty ones are dropped. Several values of one name are joined by commas. */
function texts<const Name extends string>(params: Params, names: readonly Name[]): { [N in Name]?: string } {
  const entries = names.flatMap((name) => {
    const value = params[name]
    const text = Array.isArray(value) ? value.filter((one) => typeof one === 'string').join(',') : value
    const isText = (typeof text === 'string' || typeof text === 'number') && text !== ''
    return isText ? [[name, String(text)] as const] : []
  })
  return Object.fromEntries(entries) as { [N in Name]?: string }
}

/** The prefix of metadata names in addresses and searches. */
export const metadataPrefix = 'metadata.' as const

/** The distinct parts of a comma-separated text. */
export function listOf(text = ''): string[] {
  return [...new Set(text.split(',').filter((part) => part !== ''))]
}

/** Filters that take several values. One must match. */
export const severalFilters = ['fingerprint'] as const

/** The filters of jobs, besides state and metadata. */
export const jobFilters = [
  'kind',
  'queue',
  'tenant',
  'key',
  'created_after',
  'created_before',
  'finished_after',
  'finished_before',
  'fingerprint',
  'schedule',
  'worker',
  'worker_version',
] as const

export function jobSearch(params: Params): JobSearch {
  const status = jobStatuses.find((one) => one === params['status'])
  const members = Object.keys(params).filter((name) => name.startsWith(metadataPrefix))
  return {
    ...texts(params, [...jobFilters, 'peek', 'cols']),
    ...texts(params, members),
    ...(status !== undefined && { status }),
  }
}

/** The search parameters for a filter of the API. */
export function jobSearchOf({ metadata, ...filter }: Params): JobSearch {
  const members = Object.entries(metadata ?? {}).map(([name, value]) => [`${metadataPrefix}${name}`, value])
  return jobSearch({ ...filter, ...Object.fromEntries(members) })
}

/** One fingerprint or several, as the API takes them. */
function fingerprintsOf(text: string): string | string[] {
  const [first = '', ...others] = listOf(text)
  return others.length === 0 ? first : [first, ...others]
}

/** The filter of the API for these search parameters. */
export function jobFilter({ peek: _peek, cols: _cols, fingerprint, ...search }: JobSearch): JobFilter {
  const isMember = ([name]: readonly [string, unknown]): boolean => name.startsWith(metadataPrefix)
  const entries = Object.entries(search)
  const members = entries.filter(isMember).map(([name, value]) => [name.slice(metadataPrefix.length), value])
  const plain = Object.fromEntries(entries.filter((entry) => !isMember(entry))) as JobFilter
  return {
    ...plain,
    ...(fingerprint !== undefined && { fingerprint: fingerprintsOf(fingerprint) }),
    ...(members.length > 0 && { metadata: Object.fromEntries(members) }),
  }
}

/** The filters of dead letters. */
export const deadLetterFilters = [
  'kind',
  'queue',
  'tenant',
  'fingerprint',
  'dead_lettered_after',
  'dead_lettered_before',
] as const

export function deadLetterSearch(params: Params): DeadLetterSearch {
  return texts(params, deadLetterFilters)
}

export function errorSearch(params: Params): ErrorSearch {
  const search = { ...texts(params, ['kind', 'queue', 'tenant', 'new']), ...numbersSearch(params) }
  const sort = errorSorts.find((one) => one === params['sort'])
  return sort === undefined ? search : { ...search, sort }
}

export function auditSearch(params: Params): AuditSearch {
  return texts(params, ['actor', 'act', 'job_id'])
}

export const operationStates = [
  'running',
  'succeeded',
  'cancelled',
  'refused',
  'failed',
] as const satisfies readonly Operation['state'][]

export function operationSearch(params: Params): OperationSearch {
  const state = operationStates.find((one) => one === params['state'])
  return state === undefined ? {} : { state }
}

export function numbersSearch(params: Params): NumbersSearch {
  const { from, to } = texts(params, ['from', 'to'])
  const isSpan = from !== undefined && to !== undefined && Date.parse(from) < Date.parse(to)
  if (isSpan) return { from, to }
  const range = rangeNames.find((one) => one === params['range'])
  return range === undefined ? {} : { range }
}

export function queueSearch(params: Params): QueueSearch {
  const tab = queueTabs.find((one) => one === params['tab'])
  return { ...numbersSearch(params), ...(tab !== undefined && { tab }) }
}

export function limitSearch(params: Params): { readonly queue?: string } {
  return texts(params, ['queue'])
}

/** The labels of an alert, from its link. */
export function goSearch(params: Params): { readonly queue?: string; readonly kind?: string } {
  return texts(params, ['queue', 'kind'])
}

export const logLevels = ['debug', 'info', 'warn', 'error'] as const satisfies readonly LogLevel[]

export function jobPageSearch(params: Params): JobPageSearch {
  const level = logLevels.find((one) => one === params['level'])
  return { ...texts(params, ['attempt', 'compare']), ...(level !== undefined && { level }) }
}
