// From where `claim_lanes` scans events and lanes.

/**
 * A claim returns scan positions: the instants below which it saw no event and no ready lane. The caller's next claim
 * begins there, and so skips the dead index entries of what has been claimed since, which stay as long as any
 * transaction keeps a snapshot. A row that is committed more than `slack` late may lie below its position; after
 * `rereadAfter` a claim begins at the start again.
 */
export const slack = `interval '200 milliseconds'`
export const rereadAfter = `interval '1 second'`

/** For how many queues, priorities and kinds scan positions are returned at most. */
const lanePositionsMax = 100

/** The priorities `p`, the best first. */
export const priorities = `unnest('{0,1,2,3,4,5,6,7,8,9}'::smallint[]) AS p (priority)`

/** The instant from which a claim reads the events of the queue `q`. */
export const eventsFrom = `coalesce((marks -> 'events' ->> q.name)::timestamptz, '-infinity')`

/**
 * Finds the first ready lane of each queue, priority and kind. It begins at the caller's scan positions, and checks
 * whether a ready lane lies between the priorities and kinds that those name. If one does, it searches all of them.
 */
export function findLaneHeads(schema: string): string {
  const head = (alias: string) =>
    `jsonb_agg(jsonb_build_object('queue', ${alias}.queue, 'priority', ${alias}.priority, 'kind', ${alias}.kind, 'turn_at', h.turn_at,
               'from', least(h.turn_at, started_at) - ${slack}))`
  return `SELECT ${head('k')} FILTER (WHERE k.priority >= 0), bool_or(k.is_new) INTO heads, is_new FROM (
    SELECT k.*, EXISTS (
             SELECT FROM ${schema}.lanes AS l WHERE l.queue = k.queue AND NOT l.is_full AND (l.priority, l.kind) > (k.priority, k.kind)
                AND (l.priority, l.kind) < (k.next_priority, k.next_kind)) AS is_new
      FROM (SELECT k.*, lead(k.priority, 1, 32767::smallint) OVER line AS next_priority, lead(k.kind, 1, '') OVER line AS next_kind FROM (
        SELECT q.name AS queue, -1::smallint AS priority, '' AS kind, NULL::timestamptz AS "from" FROM unnest(open_queues) AS q (name)
        UNION ALL
        SELECT k.queue, k.priority, k.kind, k."from"
          FROM jsonb_to_recordset(marks -> 'spots') AS k (queue text, priority smallint, kind text, "from" timestamptz)
         WHERE k.queue = ANY(open_queues)) AS k
        WINDOW line AS (PARTITION BY k.queue ORDER BY k.priority, k.kind)) AS k) AS k
    LEFT JOIN LATERAL (
      SELECT l.turn_at FROM ${schema}.lanes AS l WHERE l.queue = k.queue AND l.priority = k.priority AND l.kind = k.kind AND NOT l.is_full
         AND l.turn_at >= CASE WHEN reads_all_lanes THEN '-infinity' ELSE coalesce(k."from", '-infinity') END ORDER BY l.turn_at LIMIT 1) AS h ON true;
  IF is_new THEN
    WITH RECURSIVE heads AS (
      SELECT h.* FROM unnest(open_queues) AS q (name) CROSS JOIN LATERAL (
        SELECT l.queue, l.priority, l.kind, l.turn_at FROM ${schema}.lanes AS l WHERE l.queue = q.name AND NOT l.is_full
         ORDER BY l.queue, l.priority, l.kind, l.turn_at LIMIT 1) AS h
      UNION ALL
      SELECT n.* FROM heads AS h CROSS JOIN LATERAL (
        SELECT l.queue, l.priority, l.kind, l.turn_at FROM ${schema}.lanes AS l WHERE l.queue = h.queue AND NOT l.is_full
           AND (l.priority, l.kind) > (h.priority, h.kind) ORDER BY l.queue, l.priority, l.kind, l.turn_at LIMIT 1) AS n
    ) SELECT ${head('h')} INTO heads FROM heads AS h;
  END IF;
  marks := marks || jsonb_build_object('spots', CASE WHEN jsonb_array_length(heads) <= ${lanePositionsMax} THEN heads ELSE '[]' END);`
}
