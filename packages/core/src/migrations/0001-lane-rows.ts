// SQL for rows of lanes and of turns.

/** Finds the lane `l` of a row. The scan begins with its newest version, as for a counter. */
export const laneOf = (row: string): string =>
  `l.queue = ${row}.queue AND l.key = ${row}.key AND l.tenant_id = ${row}.tenant_id AND l.kind = ${row}.kind
            AND l.priority BETWEEN ${row}.priority AND ${row}.priority ORDER BY l.priority DESC LIMIT 1`

/** The columns of a lane, as in an array of lanes. */
export const laneColumns = 'queue, kind, key, tenant_id, priority, is_full, turn_at, head_at, share'
export const columnsOf = (row: string): string => laneColumns.replaceAll(/\w+/g, `${row}.$&`)

/** The share that the jobs without a key of all tenants have. */
export const keylessShare = 'chr(9)'

/** The share to which the lane of a row belongs; null where its queue is not fair. */
export const shareIn = (row: string): string =>
  `CASE fair_queues ->> ${row}.queue WHEN 'tenant' THEN ${row}.tenant_id WHEN 'key' THEN ${row}.key || chr(9) || ${row}.tenant_id END`

/** Whether the turn `t` is that of the share of a row. */
export const turnOf = (row: string): string =>
  `t.queue = ${row}.queue AND t.priority = ${row}.priority AND t.share = ${row}.share`

/** The assignments that open the lane `l` for the event in `row`. */
export const reopenedBy = (row: string): string =>
  `is_full = false, head_at = least(l.head_at, ${row}.head_at), turn_at = CASE WHEN l.is_full THEN at ELSE l.turn_at END`

/** An alias `p` for picked lanes, with the columns of the arrays beside them. */
export const pickedLane = (...beside: readonly string[]): string =>
  `p (${[laneColumns, ...beside].join(', ')})`
