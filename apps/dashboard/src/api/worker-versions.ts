import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { useMay } from '../shell/me.tsx'
import { queries } from './queries.ts'

/** The versions that workers run, by their ids. */
export type WorkerVersions = ReadonlyMap<string, string>

/**
 * Those of the workers that are registered still, for who may know them: the registry forgets a worker an hour after its end.
 * The map stays the same until a version changes, and not with each heartbeat.
 */
export function useWorkerVersions(isWanted = true): WorkerVersions {
  const may = useMay()
  const { data: workers } = useQuery({ ...queries.workers, enabled: isWanted && may('ops:read') })
  const known = JSON.stringify(workers?.map(({ id, version }) => [id, version]) ?? [])
  return useMemo(() => new Map(JSON.parse(known) as [string, string][]), [known])
}
