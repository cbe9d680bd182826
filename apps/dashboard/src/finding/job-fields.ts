import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { type DeadLetter, type Job, jobStatuses } from '@queue/client'
import { queries } from '../api/queries.ts'
import { deadLetterFilters, jobFilters, metadataPrefix, severalFilters } from '../search.ts'
import { useMay } from '../shell/me.tsx'
import type { Fields } from './fields.ts'

export type JobFieldName = 'status' | (typeof jobFilters)[number] | `metadata.${string}`
type DeadLetterFieldName = (typeof deadLetterFilters)[number]

/** Values are collected from this many of the newest rows. */
const valueRowsMax = 200

const jobAliases = {
  'meta.': metadataPrefix,
  fp: 'fingerprint',
  version: 'worker_version',
  state: 'status',
  after: 'created_after',
  before: 'created_before',
}

/** The loaded rows of a query, which may still be pending. */
interface LoadedRows<Row> {
  readonly rows: readonly Row[]
  readonly query: { readonly isPending: boolean }
}

/** The search fields of jobs, with the values that are known from the API and from these jobs. */
export function useJobFields({ rows: jobs, query }: LoadedRows<Job>): Fields<JobFieldName> {
  const { queues, kinds, schedules, areLoaded } = useKnownNames()
  const isLoading = query.isPending || !areLoaded
  return useMemo(() => {
    const newest = jobs.slice(0, valueRowsMax)
    const known = {
      status: jobStatuses,
      queue: queues,
      kind: distinct([...kinds, ...newest.map(({ kind }) => kind)]),
      tenant: distinct(newest.map(({ tenant_id: tenant }) => tenant)),
      key: distinct(newest.map(({ key }) => key)),
      schedule: schedules,
      worker: distinct(newest.map(({ locked_by: worker }) => worker)),
      ...membersOf(newest),
    }
    return {
      names: ['status', ...jobFilters],
      memberPrefix: metadataPrefix,
      aliases: jobAliases,
      several: severalFilters,
      known,
      isLoading,
      closed: ['status'],
      open: ['tenant', 'key'],
      instants: ['created_after', 'created_before', 'finished_after', 'finished_before'],
    }
  }, [jobs, isLoading, queues, kinds, schedules])
}

const deadLetterAliases = { fp: 'fingerprint', after: 'dead_lettered_after', before: 'dead_lettered_before' }

/** The search fields of dead letters. */
export function useDeadLetterFields({
  rows: deadLetters,
  query,
}: LoadedRows<DeadLetter>): Fields<DeadLetterFieldName> {
  const { queues, kinds, areLoaded } = useKnownNames()
  const isLoading = query.isPending || !areLoaded
  return useMemo(() => {
    const newest = deadLetters.slice(0, valueRowsMax)
    return {
      names: deadLetterFilters,
      aliases: deadLetterAliases,
      known: {
        queue: queues,
        kind: distinct([...kinds, ...newest.map(({ kind }) => kind)]),
        tenant: distinct(newest.map(({ tenant_id: tenant }) => tenant)),
      },
      isLoading,
      open: ['tenant'],
      instants: ['dead_lettered_after', 'dead_lettered_before'],
    }
  }, [deadLetters, isLoading, queues, kinds])
}

/** The names of queues, kinds and schedules, as far as the caller has permission. */
function useKnownNames() {
  const may = useMay()
  const queues = useQuery({ ...queries.queues, enabled: may('jobs:read') })
  const kinds = useQuery({ ...queries.kinds, enabled: may('kinds:read') })
  const schedules = useQuery({ ...queries.schedules, enabled: may('schedules:read') })
  return {
    queues: useMemo(() => (queues.data ?? []).map(({ name }) => name), [queues.data]),
    kinds: useMemo(() => (kinds.data ?? []).map(({ kind }) => kind), [kinds.data]),
    schedules: useMemo(() => (schedules.data ?? []).map(({ name }) => name), [schedules.data]),
    /** A disabled query stays pending. */
    areLoaded: [queues, kinds, schedules].every(({ isEnabled, isPending }) => !isEnabled || !isPending),
  }
}

function distinct(values: readonly (string | null)[]): readonly string[] {
  return [...new Set(values.filter((value) => value !== null))]
}

/** The metadata members with their values, the most frequent first. */
function membersOf(jobs: readonly Pick<Job, 'metadata'>[]) {
  const members = new Map<string, string[]>()
  for (const { metadata } of jobs) {
    for (const [name, value] of Object.entries(metadata ?? {})) {
      members.set(name, [...(members.get(name) ?? []), String(value)])
    }
  }
  const sorted = [...members].toSorted(([, a], [, b]) => b.length - a.length)
  return Object.fromEntries(
    sorted.map(([name, values]) => [`${metadataPrefix}${name}` as const, distinct(values)]),
  ) as Readonly<Partial<Record<`metadata.${string}`, readonly string[]>>>
}
