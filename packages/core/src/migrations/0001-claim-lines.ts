// How `claim_lanes` claims jobs without a key.
// A line is the jobs without a key of one queue, priority and kind (or of all kinds without a limit), in the order of
// their start.
import { isEligible } from '../database/lane-conditions.ts'
import { keylessShare } from './0001-lane-rows.ts'

/** The due jobs `c` of the target, by the columns of the index. */
const dueInTarget = `c.queue = target.queue AND c.priority = target.priority AND c.status IN ('queued', 'retrying') AND c.run_at <= at`

/** Whether this claim may take the job `c` of the target. */
const claimableInTarget = `${isEligible}
               AND CASE WHEN target.kind IS NULL
                        THEN NOT coalesce(limited_kinds -> target.queue, '[]') ? c.kind ELSE c.kind = target.kind END`

/**
 * A million jobs that no claim may take now, such as those of a full kind, may stand before the first that one may
 * take. So a claim scans at most `scanMax` jobs of a line. It returns a scan position for each line: the first job that
 * a claim may take, locked or not, but at least `lineSlack` before now. The caller's next claim begins there. Jobs that
 * come before that position later are found when a claim begins at the start of the line: after `rescanAfter`, or
 * later, so that such scans take at most a twentieth of the time.
 */
const scanMax = 100_000
const lineSlack = `interval '2 seconds'`
const rescanAfter = `interval '8 seconds'`

/** For how many lines scan positions are returned at most. */
const linePositionsMax = 200
const lowestId = `'00000000-0000-0000-0000-000000000000'`

/** Which jobs `c` of a line are meant. */
interface Line {
  /** A condition that the index of the line has. */
  readonly indexed: string
  /** A further condition, ` AND …`. */
  readonly filter?: string
}

export const keylessJobs: Line = { indexed: 'c.key IS NULL' }
const keylessWithoutTenant: Line = { ...keylessJobs, filter: ' AND c.tenant_id IS NULL' }

/** The condition on the key is written as in jobs_tenant_live_idx, so that the planner chooses that index. */
const keylessOfTenant: Line = { indexed: `c.tenant_id = current_tenant AND coalesce(c.key, '') = ''` }

/**
 * Finds the lines with due jobs, from the scan positions of the previous claim. A queue with limited kinds has several
 * lines in a slot, and is searched from the beginning. Positions hold only for claims with the same limited kinds,
 * worker kinds and only_steady.
 */
export function findLines(schema: string): string {
  return `line_filter := jsonb_build_array(limited_kinds, only_steady, hashtext(array_to_string(runnable, ' ')));
  scans_from_start := (at < (marks ->> 'lines_until')::timestamptz AND line_filter = marks -> 'lines_of') IS NOT TRUE;
  IF scans_from_start THEN
    marks := marks - 'lines';
  END IF;
  SELECT jsonb_agg(jsonb_build_object('queue', s.queue, 'priority', s.priority, 'kind', k.kind)) INTO lines
    FROM unnest(slot_queues, slot_priorities) AS s (queue, priority)
   CROSS JOIN LATERAL (
     SELECT FROM ${schema}.jobs AS c
      WHERE c.queue = s.queue AND c.priority = s.priority AND c.status IN ('queued', 'retrying') AND c.key IS NULL AND c.run_at <= at
        AND c.run_at >= CASE WHEN limited_kinds ? s.queue THEN '-infinity'
          ELSE coalesce((marks #>> ARRAY['lines', s.queue || '/' || s.priority || '//', '0'])::timestamptz, '-infinity') END
      ORDER BY c.run_at, c.id LIMIT 1) AS h
   CROSS JOIN LATERAL (
     SELECT NULL AS kind
     UNION ALL
     SELECT jsonb_array_elements_text(limited_kinds -> s.queue)) AS k
   WHERE s.queue = ANY(open_queues) AND (k.kind IS NULL OR k.kind = ANY(base_kinds));`
}

/** Adds the scan positions in lines to the answer, and until when they hold. */
export const keepLinePositions = `line_positions := coalesce(marks -> 'lines', '{}') || new_line_positions;
  marks := marks || jsonb_build_object('lines_of', line_filter,
    'lines', CASE WHEN (SELECT count(*) FROM jsonb_object_keys(line_positions)) <= ${linePositionsMax} THEN line_positions ELSE new_line_positions END,
    'lines_until', CASE WHEN scans_from_start OR hit_scan_limit
      THEN to_jsonb(greatest(clock_timestamp() + ${rescanAfter}, clock_timestamp() + 20 * (clock_timestamp() - started_at),
        CASE WHEN NOT scans_from_start THEN (marks ->> 'lines_until')::timestamptz END + 20 * (clock_timestamp() - started_at)))
      ELSE marks -> 'lines_until' END);`

/**
 * Finds the head of a line: the first job that a claim may take. There is none where the scan reaches `scanMax` jobs
 * before it. `nameSuffix` is an SQL expression that completes the name of the line's scan position.
 */
export function findHead(
  schema: string,
  { nameSuffix, indexed, filter = '' }: Line & { readonly nameSuffix: string },
): string {
  const jobs = `${schema}.jobs AS c
             WHERE ${indexed} AND ${dueInTarget} AND (c.run_at, c.id) >= (
               coalesce((marks #>> ARRAY['lines', line, '0'])::timestamptz, '-infinity'),
               coalesce((marks #>> ARRAY['lines', line, '1'])::uuid, ${lowestId})) ORDER BY c.run_at, c.id`
  return `line := concat_ws('/', target.queue, target.priority, coalesce(target.kind, ''), ${nameSuffix});
          SELECT c.run_at, c.id INTO head_at, head_id FROM (
            SELECT c.* FROM ${jobs} LIMIT ${scanMax}) AS c WHERE ${claimableInTarget}${filter} ORDER BY c.run_at, c.id LIMIT 1;
          next_at := head_at;
          next_id := head_id;
          IF head_at IS NULL THEN
            SELECT c.run_at, c.id INTO next_at, next_id FROM ${jobs} OFFSET ${scanMax} LIMIT 1;
            hit_scan_limit := hit_scan_limit OR FOUND;
          END IF;
          new_line_positions := new_line_positions || jsonb_build_object(line, CASE WHEN next_at < at - ${lineSlack}
            THEN jsonb_build_array(next_at, next_id) ELSE jsonb_build_array(at - ${lineSlack}, ${lowestId}) END);`
}

/** Selects and locks jobs of a line from its head on, in their order. */
export function lockFromHead(schema: string, { indexed, filter = '' }: Line): string {
  return `
            SELECT c.id FROM (
              SELECT c.id FROM (
                SELECT c.* FROM ${schema}.jobs AS c WHERE ${indexed} AND ${dueInTarget} AND (c.run_at, c.id) >= (head_at, head_id)
                 ORDER BY c.run_at, c.id LIMIT ${scanMax}) AS c WHERE ${claimableInTarget}${filter}) AS l
             CROSS JOIN LATERAL (
              SELECT c.id FROM ${schema}.jobs AS c WHERE c.id = l.id AND ${indexed} AND ${dueInTarget} AND ${claimableInTarget}${filter}
                 FOR UPDATE SKIP LOCKED) AS c`
}

/** How many tenants one claim visits at most. */
const visitsMax = 200

/**
 * Claims jobs without a key in the turns of their tenants: the tenants follow each other from where the last claim
 * stopped, each with as many jobs as its weight gives it. Jobs without a tenant have a turn as if they had one.
 *
 * Which tenants have waiting jobs is found by jobs_tenant_live_idx, and for jobs without a tenant by their line. Where
 * no tenant has a job that may start, `ids` becomes null, and the claim reads the whole line in its order.
 */
export function pickInTenantTurns(schema: string): string {
  return `SELECT t.reached, t.turn INTO current_tenant, credit FROM ${schema}.lane_turns AS t
           WHERE t.queue = target.queue AND t.priority = target.priority AND t.share = ${keylessShare} FOR NO KEY UPDATE SKIP LOCKED;
          ids := '{}';
          first_idle_tenant := NULL;
          is_line_exhausted := false;
          visits := CASE WHEN FOUND THEN 0 END;
          others_hold := others_hold OR visits IS NULL;
          WHILE visits < ${visitsMax} AND cardinality(ids) < allowed LOOP
            visits := visits + 1;
            IF credit < 1 THEN
              SELECT coalesce((
                SELECT c.tenant_id FROM ${schema}.jobs AS c
                 WHERE c.tenant_id > coalesce(current_tenant, '') AND c.status IN ('queued', 'retrying') 
                 ORDER BY c.tenant_id, c.queue, coalesce(c.key, ''), c.priority LIMIT 1), '') INTO current_tenant;
              EXIT WHEN current_tenant = first_idle_tenant;
              SELECT greatest(1, allowed / 16) * coalesce((
                SELECT r.weight FROM ${schema}.limits AS r WHERE r.queue = target.queue AND r.scope = 'tenant' AND r.name = current_tenant), 1) INTO credit;
            END IF;
            IF current_tenant = '' AND is_line_exhausted THEN
              found_ids := NULL;
            ELSIF current_tenant = '' THEN
              ${findHead(schema, { ...keylessWithoutTenant, nameSuffix: `'-'` })}
              SELECT array_agg(c.id) INTO found_ids FROM (${lockFromHead(schema, keylessWithoutTenant)}
               WHERE c.id <> ALL (ids) LIMIT least(credit, allowed - cardinality(ids))) AS c;
            ELSE
              head_at := '-infinity';
              head_id := ${lowestId};
              IF limited_kinds ? target.queue THEN
                ${findHead(schema, { ...keylessOfTenant, nameSuffix: `'-' || current_tenant` })}
              END IF;
              SELECT array_agg(c.id) INTO found_ids FROM (${lockFromHead(schema, keylessOfTenant)}
               WHERE c.id <> ALL (ids) LIMIT least(credit, allowed - cardinality(ids))) AS c;
            END IF;
            is_line_exhausted := is_line_exhausted OR current_tenant = '' AND found_ids IS NULL;
            first_idle_tenant := CASE WHEN found_ids IS NULL THEN coalesce(first_idle_tenant, current_tenant) END;
            credit := CASE WHEN cardinality(found_ids) = least(credit, allowed - cardinality(ids)) THEN credit - cardinality(found_ids) ELSE 0 END;
            ids := ids || coalesce(found_ids, '{}');
          END LOOP;
          IF cardinality(ids) > 0 OR visits = ${visitsMax} THEN
            UPDATE ${schema}.lane_turns AS t SET reached = current_tenant, turn = credit
             WHERE t.queue = target.queue AND t.priority = target.priority AND t.share = ${keylessShare};
            is_incomplete := is_incomplete OR cardinality(ids) < allowed;
          ELSIF visits IS NOT NULL THEN
            ids := NULL;
          END IF;`
}
