import type { Row, RowChange } from '../record/row-changes.ts'

/**
 * The moments at which two jobs held one unique key of the scope `live`. Who takes a key has seen the commit of the end that
 * freed it, so the order of the changes is that of the holders.
 */
export function findSharedKeys(before: readonly Row[], changes: readonly RowChange[]): string[] {
  const holdersByKey = new Map<string, Map<string, Row>>()
  const holdersOf = (row: Row): Map<string, Row> => {
    const key = JSON.stringify([row['tenant_id'], row['kind'], row['unique_key']])
    const holders = holdersByKey.get(key) ?? new Map<string, Row>()
    holdersByKey.set(key, holders)
    return holders
  }
  const update = (id: string, old: Row | null, row: Row | null): void => {
    if (old !== null) holdersOf(old).delete(id)
    if (row?.unique_scope === 'live' && row.finished_at === null) holdersOf(row).set(id, row)
  }
  for (const row of before) update(row.id, null, row)
  return changes.flatMap(({ id, act, table, at, before: old, after }) => {
    if (table !== 'jobs') return []
    update(id, old, after)
    if (after === null || !holdersOf(after).has(id)) return []
    const holders = [...holdersOf(after).values()].filter((row) => !hasExpired(row, at))
    return holders.length < 2
      ? []
      : [
          `${act}: ${holders.length} live jobs have one unique key: ${holders.map((row) => row.id).join(', ')}`,
        ]
  })
}

/** A job that has expired before its first start holds its key no longer. */
function hasExpired({ status, expires_at: expiresAt }: Row, at: Date): boolean {
  return status === 'queued' && expiresAt !== null && Date.parse(expiresAt) <= at.getTime()
}
