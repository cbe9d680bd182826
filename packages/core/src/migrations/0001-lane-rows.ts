// The rows of lanes and of turns. Frozen text, as the rest of the step.

/** The lane `l` of a row, found from its newest version on, as a counter is. */
export const laneOf = (row: string): string =>
  `l.queue = ${row}.queue AND l.key = ${row}.key AND l.tenant_id = ${row}.tenant_id AND l.kind = ${row}.kind
            AND l.priority BETWEEN ${row}.priority AND ${row}.priority ORDER BY l.priority DESC LIMIT 1`

/** The columns of a lane in an array of lanes. */
export const laneColumns = 'queue, kind, key, tenant_id, priority, is_full, turn_at, head_at, share'
export const columnsOf = (row: string): string => laneColumns.replaceAll(/\w+/g, `${row}.$&`)

/** The share that stands for the jobs without a key of all tenants. */
export const withoutKey = 'chr(9)'

/** Whose turn a lane in a row counts for, where the queue is fair. */
export const shareIn = (row: string): string =>
  `CASE fairs ->> ${row}.queue WHEN 'tenant' THEN ${row}.tenant_id WHEN 'key' THEN ${row}.key || chr(9) || ${row}.tenant_id END`

/** The turns `t` of a row. */
export const turnOf = (row: string): string =>
  `t.queue = ${row}.queue AND t.priority = ${row}.priority AND t.share = ${row}.share`

/** What becomes of a lane `l` for which there is an event. */
export const openedBy = (row: string): string =>
  `is_full = false, head_at = least(l.head_at, ${row}.head_at), turn_at = CASE WHEN l.is_full THEN at ELSE l.turn_at END`

/** The columns of a lane that was picked, and of what stands beside it. */
export const pickedLane = (...beside: readonly string[]): string =>
  `p (${[laneColumns, ...beside].join(', ')})`
