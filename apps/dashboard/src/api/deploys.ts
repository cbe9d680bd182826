import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { useMay } from '../shell/me.tsx'
import { queries } from './queries.ts'

/** The first start of a worker version: the start of its oldest worker that is still registered. */
export interface Deploy {
  readonly version: string
  /** Milliseconds since 1970. */
  readonly atMs: number
}

/** The deployed versions, the oldest first. Needs `ops:read`. The array stays the same until a version is added or removed. */
export function useDeploys(): readonly Deploy[] {
  const may = useMay()
  const { data: workers } = useQuery({ ...queries.workers, enabled: may('ops:read') })
  const known = JSON.stringify(firstStarts(workers ?? []))
  return useMemo(() => JSON.parse(known) as Deploy[], [known])
}

interface StartedWorker {
  readonly version: string
  readonly started_at: string
}

function firstStarts(workers: readonly StartedWorker[]): Deploy[] {
  const starts = new Map<string, number>()
  for (const { version, started_at: startedAt } of workers) {
    starts.set(version, Math.min(starts.get(version) ?? Infinity, Date.parse(startedAt)))
  }
  return [...starts].map(([version, atMs]) => ({ version, atMs })).toSorted((a, b) => a.atMs - b.atMs)
}
