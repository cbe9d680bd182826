import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { type DeadLetter, type Job, jobStatuses } from '@queue/client'
import { queries } from '../api/queries.ts'
import { deadLetterFilters, jobFilters, metadataPrefix, severalFilters } from '../search.ts'
import { useMay } from '../shell/me.tsx'
import type { Fields } from './fields.ts'

export type JobFieldName = 'status' | (typeof jobFilters)[number] | `metadata.${string}`
type LetterFieldName = (typeof deadLetterFilters)[number]

/** Of a list of thousands the newest tell enough. */
const readForValues = 200

const jobAliases = {
  'meta.': metadataPrefix,
  fp: 'fingerprint',
  version: 'worker_version',
  state: 'status',
  after: 'created_after',
  before: 'created_before',
}

/** The rows that have been read, of a query that may still wait for its first answer. */
interface ReadRows<Row> {
  readonly rows: readonly Row[]
  readonly query: { readonly isPending: boolean }
}

/** What jobs can be searched by, with the values that are known: those of the API, and those of these jobs. */
export function useJobFields({ rows: jobs, query }: ReadRows<Job>): Fields<JobFieldName> {
  const may = useMay()
  const seesKeys = may('payload:read')
  const { queues, kinds, schedules, areRead } = useKnownNames()
  const isReading = query.isPending || !areRead
  return useMemo(() => {
    const some = jobs.slice(0, readForValues)
    const known = {
      status: jobStatuses,
      queue: queues,
      kind: distinct([...kinds, ...some.map(({ kind }) => kind)]),
      tenant: distinct(some.map(({ tenant_id: tenant }) => tenant)),
      ...(seesKeys && { key: distinct(some.map(({ key }) => key)) }),
      schedule: schedules,
      worker: distinct(some.map(({ locked_by: worker }) => worker)),
      ...membersOf(some),
    }
    return {
      names: ['status', ...jobFilters.filter((name) => seesKeys || name !== 'key')],
      memberPrefix: metadataPrefix,
      aliases: jobAliases,
      several: severalFilters,
      known,
      isReading,
      closed: ['status'],
      open: seesKeys ? ['tenant', 'key'] : ['tenant'],
      instants: ['created_after', 'created_before', 'finished_after', 'finished_before'],
    }
  }, [jobs, isReading, seesKeys, queues, kinds, schedules])
}

const letterAliases = { fp: 'fingerprint', after: 'dead_lettered_after', before: 'dead_lettered_before' }

/** The same of dead letters. */
export function useLetterFields({ rows: letters, query }: ReadRows<DeadLetter>): Fields<LetterFieldName> {
  const { queues, kinds, areRead } = useKnownNames()
  const isReading = query.isPending || !areRead
  return useMemo(() => {
    const some = letters.slice(0, readForValues)
    return {
      names: deadLetterFilters,
      aliases: letterAliases,
      known: {
        queue: queues,
        kind: distinct([...kinds, ...some.map(({ kind }) => kind)]),
        tenant: distinct(some.map(({ tenant_id: tenant }) => tenant)),
      },
      isReading,
      open: ['tenant'],
      instants: ['dead_lettered_after', 'dead_lettered_before'],
    }
  }, [letters, isReading, queues, kinds])
}

/** The names that whoever looks may know. */
function useKnownNames() {
  const may = useMay()
  const queues = useQuery({ ...queries.queues, enabled: may('jobs:read') })
  const kinds = useQuery({ ...queries.kinds, enabled: may('kinds:read') })
  const schedules = useQuery({ ...queries.schedules, enabled: may('schedules:read') })
  return {
    queues: useMemo(() => (queues.data ?? []).map(({ name }) => name), [queues.data]),
    kinds: useMemo(() => (kinds.data ?? []).map(({ kind }) => kind), [kinds.data]),
    schedules: useMemo(() => (schedules.data ?? []).map(({ name }) => name), [schedules.data]),
    /** A query that is not allowed stays pending. */
    areRead: [queues, kinds, schedules].every(({ isEnabled, isPending }) => !isEnabled || !isPending),
  }
}

function distinct(values: readonly (string | null)[]): readonly string[] {
  return [...new Set(values.filter((value) => value !== null))]
}

/** The members of the metadata with their values, those that most of the jobs have first. */
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
