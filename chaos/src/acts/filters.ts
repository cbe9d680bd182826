import type { DeadLetterSelection, JobFilter } from '@queue/core'
import type { Random } from '../nemesis/random.ts'
import type { Row } from '../record/row-changes.ts'
import type { Version } from './row-versions.ts'
import { fingerprints, groups, keys, kinds, queues, schedules, tags, tenants, workers } from './population.ts'

/** What draws a filter: the random numbers, and jobs whose instants may bound it. */
export interface FilterSource {
  readonly random: Random
  readonly rows: readonly Row[]
}

type Draw<Filter> = { readonly [Member in keyof Required<Filter>]: (source: FilterSource) => Filter[Member] }

const statuses = ['queued', 'running', 'retrying', 'succeeded', 'failed_permanent', 'cancelled'] as const

/** Draws a value for each member of a filter of jobs. */
const jobMembers: Draw<JobFilter> = {
  status: ({ random }) => random.pick(statuses),
  kind: ({ random }) => random.pick(kinds),
  queue: ({ random }) => random.pick(queues),
  tenantId: ({ random }) => random.pick(tenants),
  key: ({ random }) => random.pick(keys),
  metadata: ({ random }) =>
    random.chance(0.7)
      ? { group: random.pick(groups) }
      : { tag: random.pick(tags), ...(random.chance(0.5) && { group: random.pick(groups) }) },
  createdAfter: instantOf('created_at'),
  createdBefore: instantOf('created_at'),
  finishedAfter: instantOf('finished_at'),
  finishedBefore: instantOf('finished_at'),
  fingerprint: drawFingerprints,
  schedule: ({ random }) => random.pick(schedules),
  worker: ({ random }) => random.pick(workers).id,
  workerVersion: ({ random }) => random.pick(workers).version,
}

const deadLetterMembers: Draw<DeadLetterSelection> = {
  kind: jobMembers.kind,
  queue: jobMembers.queue,
  tenantId: jobMembers.tenantId,
  fingerprint: drawFingerprints,
  deadLetteredAfter: instantOf('finished_at'),
  deadLetteredBefore: instantOf('finished_at'),
}

/** A filter with between `low` and `high` random members. */
export function drawJobFilter(source: FilterSource, low: number, high: number): JobFilter {
  return draw(jobMembers, source, source.random.between(low, high))
}

export function drawSelection(source: FilterSource): DeadLetterSelection {
  return draw(deadLetterMembers, source, source.random.between(0, 2))
}

function draw<Filter>(members: Draw<Filter>, source: FilterSource, count: number): Filter {
  const names = Object.keys(members) as (keyof Filter)[]
  const edited = names.filter((name) => name === 'metadata')
  const chosen = Array.from({ length: count }, () => source.random.pick([...names, ...edited, ...edited]))
  return Object.fromEntries(chosen.map((name) => [name, members[name](source)])) as Filter
}

/** An instant of a random job, or one a little beside it. */
function instantOf(column: 'created_at' | 'finished_at'): (source: FilterSource) => Date {
  return ({ random, rows }) => {
    const instants = rows.map((row) => row[column]).filter((instant) => instant !== null)
    const instant = instants.length === 0 ? Date.now() : Date.parse(random.pick(instants))
    return new Date(instant + random.between(-1, 1))
  }
}

function drawFingerprints({ random }: FilterSource): string | string[] {
  return random.chance(0.5)
    ? random.pick(fingerprints)
    : [random.pick(fingerprints), random.pick(fingerprints)]
}

/** Whether a job in this state satisfies the filter: what the statements say in SQL, on the members of the row. */
export function isSelectedJob({ row, fingerprints: failed }: Version, filter: JobFilter): boolean {
  const tests: {
    readonly [Member in keyof Required<JobFilter>]: (value: NonNullable<JobFilter[Member]>) => boolean
  } = {
    status: (value) => row.status === value,
    kind: (value) => row['kind'] === value,
    queue: (value) => row['queue'] === value,
    tenantId: (value) => row['tenant_id'] === value,
    key: (value) => row['key'] === value,
    metadata: (value) =>
      Object.entries(value).every(([name, member]) => memberOf(row, name) === String(member)),
    createdAfter: (value) => isFrom(row.created_at, value),
    createdBefore: (value) => isBefore(row.created_at, value),
    finishedAfter: (value) => isFrom(row.finished_at, value),
    finishedBefore: (value) => isBefore(row.finished_at, value),
    fingerprint: (value) => [value].flat().some((fingerprint) => failed.includes(fingerprint)),
    schedule: (value) => row.idempotency_key?.startsWith(`schedule:${value}@`) === true,
    worker: (value) => row['locked_by'] === value,
    workerVersion: (value) => workers.some(({ id, version }) => version === value && id === row['locked_by']),
  }
  return allHold(tests, filter)
}

export function isSelectedDeadLetter({ row }: Version, selection: DeadLetterSelection): boolean {
  const tests: {
    readonly [Member in keyof Required<DeadLetterSelection>]: (
      value: NonNullable<DeadLetterSelection[Member]>,
    ) => boolean
  } = {
    kind: (value) => row['kind'] === value,
    queue: (value) => row['queue'] === value,
    tenantId: (value) => row['tenant_id'] === value,
    fingerprint: (value) => [value].flat().some((fingerprint) => fingerprint === row['fingerprint']),
    deadLetteredAfter: (value) => isFrom(row.dead_lettered_at, value),
    deadLetteredBefore: (value) => isBefore(row.dead_lettered_at, value),
  }
  return allHold(tests, selection)
}

function allHold<Filter extends object>(
  tests: { readonly [Member in keyof Required<Filter>]: (value: NonNullable<Filter[Member]>) => boolean },
  filter: Filter,
): boolean {
  return Object.entries(filter).every(([name, value]) => tests[name as keyof Filter](value as never))
}

function memberOf({ metadata }: Row, name: string): string | undefined {
  if (typeof metadata !== 'object' || metadata === null || Array.isArray(metadata)) return undefined
  const member = (metadata as Readonly<Record<string, unknown>>)[name]
  return typeof member === 'string' ? member : JSON.stringify(member)
}

/** Filters are exact to the millisecond, so the finer digits of an instant, which `Date.parse` drops, decide nothing. */
function isFrom(instant: unknown, bound: Date): boolean {
  return typeof instant === 'string' && Date.parse(instant) >= bound.getTime()
}

function isBefore(instant: unknown, bound: Date): boolean {
  return typeof instant === 'string' && Date.parse(instant) < bound.getTime()
}
