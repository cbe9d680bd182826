import { type JobFilter, jobStatuses, type JobStatus, type LogLevel, type Operation } from '@queue/client'
import { type RangeName, rangeNames } from './numbers-range.ts'

/** What the address of a list says. */
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
  /** Those of which an attempt failed with this cause, or with one of several, with commas between. */
  readonly fingerprint?: string
  readonly schedule?: string
  readonly worker?: string
  readonly worker_version?: string
  /** The job that is peeked at. */
  readonly peek?: string
  /** The columns that are shown beside the usual ones, with commas between. */
  readonly cols?: string
  /** What has to be in its metadata: `metadata.order_id=4711`. */
  readonly [name: `metadata.${string}`]: string | undefined
}

export interface DeadLetterSearch {
  readonly kind?: string
  readonly queue?: string
  readonly tenant?: string
  readonly dead_lettered_after?: string
  readonly dead_lettered_before?: string
  /** Those of one cause. */
  readonly fingerprint?: string
}

/** What a list of causes begins with: what failed most, what came last, or what was seen last. */
export const errorSorts = ['count', 'first', 'last'] as const

export type ErrorSort = (typeof errorSorts)[number]

export interface ErrorSearch extends NumbersSearch {
  readonly kind?: string
  readonly queue?: string
  readonly tenant?: string
  /** Those that no worker of another version has seen. */
  readonly new?: string
  /** Absent: `count`. */
  readonly sort?: ErrorSort
}

export interface AuditSearch {
  readonly actor?: string
  readonly act?: string
  readonly job_id?: string
}

/** The time of which the numbers are shown; absent: the last hour. */
export interface NumbersSearch {
  readonly range?: RangeName
  /** Of a part that somebody has chosen, in the place of a range. */
  readonly from?: string
  readonly to?: string
}

/** The parts of the page of a queue. */
const queueTabs = ['overview', 'keys', 'limits', 'workers'] as const
export type QueueTab = (typeof queueTabs)[number]

export interface QueueSearch extends NumbersSearch {
  /** Absent: its overview. */
  readonly tab?: QueueTab
}

export interface OperationSearch {
  readonly state?: Operation['state']
}

export interface JobPageSearch {
  /** The attempt that is read, by its lease. */
  readonly attempt?: string | undefined
  /** The attempts that are laid side by side, as `1-3`. */
  readonly compare?: string | undefined
  /** The least severe lines of its log that are shown. */
  readonly level?: LogLevel
}

type Given = Readonly<Record<string, unknown>>

/** Text members of an address; others, and empty ones, are as good as absent. Several of one name have commas between. */
function texts<const Name extends string>(given: Given, names: readonly Name[]): { [N in Name]?: string } {
  const found = names.flatMap((name) => {
    const value = given[name]
    const text = Array.isArray(value) ? value.filter((one) => typeof one === 'string').join(',') : value
    const isText = (typeof text === 'string' || typeof text === 'number') && text !== ''
    return isText ? [[name, String(text)] as const] : []
  })
  return Object.fromEntries(found) as { [N in Name]?: string }
}

/** Where the name of a member of the metadata stands in an address, and in what is searched for. */
export const metadataPrefix = 'metadata.' as const

/** The parts of a text with commas between. */
export function listOf(text = ''): string[] {
  return [...new Set(text.split(',').filter((part) => part !== ''))]
}

/** Filters that take several values, of which one has to hold. */
export const severalFilters = ['fingerprint'] as const

/** What jobs are filtered by, beside their state and metadata. */
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

export function jobSearch(given: Given): JobSearch {
  const status = jobStatuses.find((one) => one === given['status'])
  const members = Object.keys(given).filter((name) => name.startsWith(metadataPrefix))
  return {
    ...texts(given, [...jobFilters, 'peek', 'cols']),
    ...texts(given, members),
    ...(status !== undefined && { status }),
  }
}

/** The address of the jobs that a filter of the API finds. */
export function jobSearchOf({ metadata, ...filter }: Given): JobSearch {
  const members = Object.entries(metadata ?? {}).map(([name, value]) => [`${metadataPrefix}${name}`, value])
  return jobSearch({ ...filter, ...Object.fromEntries(members) })
}

/** One cause as the API takes it, or several. */
function causesOf(text: string): string | string[] {
  const [first = '', ...others] = listOf(text)
  return others.length === 0 ? first : [first, ...others]
}

/** The same as the API takes it. */
export function jobFilter({ peek: _peek, cols: _cols, fingerprint, ...search }: JobSearch): JobFilter {
  const isMember = ([name]: readonly [string, unknown]): boolean => name.startsWith(metadataPrefix)
  const given = Object.entries(search)
  const members = given.filter(isMember).map(([name, value]) => [name.slice(metadataPrefix.length), value])
  const plain = Object.fromEntries(given.filter((entry) => !isMember(entry))) as JobFilter
  return {
    ...plain,
    ...(fingerprint !== undefined && { fingerprint: causesOf(fingerprint) }),
    ...(members.length > 0 && { metadata: Object.fromEntries(members) }),
  }
}

/** What dead letters are filtered by. */
export const deadLetterFilters = [
  'kind',
  'queue',
  'tenant',
  'fingerprint',
  'dead_lettered_after',
  'dead_lettered_before',
] as const

export function deadLetterSearch(given: Given): DeadLetterSearch {
  return texts(given, deadLetterFilters)
}

export function errorSearch(given: Given): ErrorSearch {
  const found = { ...texts(given, ['kind', 'queue', 'tenant', 'new']), ...numbersSearch(given) }
  const sort = errorSorts.find((one) => one === given['sort'])
  return sort === undefined ? found : { ...found, sort }
}

export function auditSearch(given: Given): AuditSearch {
  return texts(given, ['actor', 'act', 'job_id'])
}

export const operationStates = [
  'running',
  'succeeded',
  'cancelled',
  'refused',
  'failed',
] as const satisfies readonly Operation['state'][]

export function operationSearch(given: Given): OperationSearch {
  const state = operationStates.find((one) => one === given['state'])
  return state === undefined ? {} : { state }
}

export function numbersSearch(given: Given): NumbersSearch {
  const { from, to } = texts(given, ['from', 'to'])
  const isSpan = from !== undefined && to !== undefined && Date.parse(from) < Date.parse(to)
  if (isSpan) return { from, to }
  const range = rangeNames.find((one) => one === given['range'])
  return range === undefined ? {} : { range }
}

export function queueSearch(given: Given): QueueSearch {
  const tab = queueTabs.find((one) => one === given['tab'])
  return { ...numbersSearch(given), ...(tab !== undefined && { tab }) }
}

export function limitSearch(given: Given): { readonly queue?: string } {
  return texts(given, ['queue'])
}

/** What an alert is about, as its link says. */
export function goSearch(given: Given): { readonly queue?: string; readonly kind?: string } {
  return texts(given, ['queue', 'kind'])
}

export const logLevels = ['debug', 'info', 'warn', 'error'] as const satisfies readonly LogLevel[]

export function jobPageSearch(given: Given): JobPageSearch {
  const level = logLevels.find((one) => one === given['level'])
  return { ...texts(given, ['attempt', 'compare']), ...(level !== undefined && { level }) }
}
