import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { useMay } from '../shell/me.tsx'
import { queries } from './queries.ts'

/** Worker versions by worker id. */
export type WorkerVersions = ReadonlyMap<string, string>

/**
 * The versions of the registered workers. Needs `ops:read`. A worker is removed from the registry an hour after its end. The map stays
 * the same until a version changes.
 */
export function useWorkerVersions(isWanted = true): WorkerVersions {
  const may = useMay()
  const { data: workers } = useQuery({ ...queries.workers, enabled: isWanted && may('ops:read') })
  const known = JSON.stringify(workers?.map(({ id, version }) => [id, version]) ?? [])
  return useMemo(() => new Map(JSON.parse(known) as [string, string][]), [known])
}
