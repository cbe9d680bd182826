import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { useMay } from '../shell/me.tsx'
import { queries } from './queries.ts'

/** When a version of the workers came, as far as the registry knows: when the oldest of its workers began that is there still. */
export interface Deploy {
  readonly version: string
  /** Milliseconds since 1970. */
  readonly atMs: number
}

/** The oldest first, for who may know workers. The list stays the same until a version comes or goes. */
export function useDeploys(): readonly Deploy[] {
  const may = useMay()
  const { data: workers } = useQuery({ ...queries.workers, enabled: may('ops:read') })
  const known = JSON.stringify(firstSights(workers ?? []))
  return useMemo(() => JSON.parse(known) as Deploy[], [known])
}

interface Begun {
  readonly version: string
  readonly started_at: string
}

function firstSights(workers: readonly Begun[]): Deploy[] {
  const sights = new Map<string, number>()
  for (const { version, started_at: startedAt } of workers) {
    sights.set(version, Math.min(sights.get(version) ?? Infinity, Date.parse(startedAt)))
  }
  return [...sights].map(([version, atMs]) => ({ version, atMs })).toSorted((a, b) => a.atMs - b.atMs)
}
