// Jobs without a key in claim_lanes. Frozen text, as the rest of the step.
import { isEligible } from './0001-claim-conditions.ts'
import { withoutKey } from './0001-lane-rows.ts'

/** The jobs `c` without a key among which a claim looks, and those of them that it may take. */
const atSpot = `c.queue = spot.queue AND c.priority = spot.priority AND c.status IN ('queued', 'retrying') AND c.run_at <= at`

const ofSpot = `${isEligible}
               AND CASE WHEN spot.kind IS NULL
                        THEN NOT coalesce(limited_kinds -> spot.queue, '[]') ? c.kind ELSE c.kind = spot.kind END`

/**
 * Jobs without a key that no claim takes now, such as those of a kind that is full, may be a million before the first that one
 * takes. So a claim looks past `lookMax` of them at most, and tells how far it has come in each line: to the first job that one
 * may take, locked or not, and no nearer to now than `lineSlack`. The next one begins there. What comes before that later is
 * found when a claim begins at the beginning: after `lookThrough`, but no more than a twentieth of the time is spent on that.
 */
const lookMax = 100_000
const lineSlack = `interval '2 seconds'`
export const lookThrough = `interval '8 seconds'`

/** Of how many lines a caller is told. */
export const linesMax = 200
const lowestId = `'00000000-0000-0000-0000-000000000000'`

/** A line of the spot: of its jobs `c` those that an index finds, and of these those for which a condition holds too. */
interface Line {
  readonly found: string
  readonly condition?: string
}

export const withoutKeys: Line = { found: 'c.key IS NULL' }
const withoutTenant: Line = { ...withoutKeys, condition: ' AND c.tenant_id IS NULL' }

/** What it says of keys is said so that the planner takes the index of what tenants have waiting. */
const ofTenant: Line = { found: `c.tenant_id = tenant_now AND coalesce(c.key, '') = ''` }

/** Finds the first job of a line that a claim may take: its head. Where it is not among those that a claim looks at, there is none. */
export function findHead(
  schema: string,
  { whose, found, condition = '' }: Line & { readonly whose: string },
): string {
  const jobs = `${schema}.jobs AS c
             WHERE ${found} AND ${atSpot} AND (c.run_at, c.id) >= (
               coalesce((marks #>> ARRAY['lines', line, '0'])::timestamptz, '-infinity'),
               coalesce((marks #>> ARRAY['lines', line, '1'])::uuid, ${lowestId})) ORDER BY c.run_at, c.id`
  return `line := concat_ws('/', spot.queue, spot.priority, coalesce(spot.kind, ''), ${whose});
          SELECT c.run_at, c.id INTO head_at, head_id FROM (
            SELECT c.* FROM ${jobs} LIMIT ${lookMax}) AS c WHERE ${ofSpot}${condition} ORDER BY c.run_at, c.id LIMIT 1;
          next_at := head_at;
          next_id := head_id;
          IF head_at IS NULL THEN
            SELECT c.run_at, c.id INTO next_at, next_id FROM ${jobs} OFFSET ${lookMax} LIMIT 1;
            is_passing := is_passing OR FOUND;
          END IF;
          lines_seen := lines_seen || jsonb_build_object(line, CASE WHEN next_at < at - ${lineSlack}
            THEN jsonb_build_array(next_at, next_id) ELSE jsonb_build_array(at - ${lineSlack}, ${lowestId}) END);`
}

/** Takes jobs of a line from its head on, in their order. */
export function takeFrom(schema: string, { found, condition = '' }: Line): string {
  return `
            SELECT c.id FROM (
              SELECT c.id FROM (
                SELECT c.* FROM ${schema}.jobs AS c WHERE ${found} AND ${atSpot} AND (c.run_at, c.id) >= (head_at, head_id)
                 ORDER BY c.run_at, c.id LIMIT ${lookMax}) AS c WHERE ${ofSpot}${condition}) AS l
             CROSS JOIN LATERAL (
              SELECT c.id FROM ${schema}.jobs AS c WHERE c.id = l.id AND ${found} AND ${atSpot} AND ${ofSpot}${condition}
                 FOR UPDATE SKIP LOCKED) AS c`
}

/** Tenants that one claim visits. */
const visitsMax = 200

/**
 * Jobs without a key of one tenant after the other, so many of each as its weight says, from where the last claim has stopped; those
 * without a tenant in between, as if they had one. No job of them tells a claim that it waits: the index of what tenants have waiting
 * does, and for those without one the line. A claim that finds none that way looks at the line as it is.
 */
export function goRoundTenants(schema: string): string {
  return `SELECT t.reached, t.turn INTO tenant_now, credit FROM ${schema}.lane_turns AS t
           WHERE t.queue = spot.queue AND t.priority = spot.priority AND t.share = ${withoutKey} FOR NO KEY UPDATE SKIP LOCKED;
          ids := '{}';
          barren := NULL;
          line_is_read := false;
          visits := CASE WHEN FOUND THEN 0 END;
          is_busy := is_busy OR visits IS NULL;
          WHILE visits < ${visitsMax} AND cardinality(ids) < allowed LOOP
            visits := visits + 1;
            IF credit < 1 THEN
              SELECT coalesce((
                SELECT c.tenant_id FROM ${schema}.jobs AS c
                 WHERE c.tenant_id > coalesce(tenant_now, '') AND c.status IN ('queued', 'retrying') 
                 ORDER BY c.tenant_id, c.queue, coalesce(c.key, ''), c.priority LIMIT 1), '') INTO tenant_now;
              EXIT WHEN tenant_now = barren;
              SELECT greatest(1, allowed / 16) * coalesce((
                SELECT r.weight FROM ${schema}.limits AS r WHERE r.queue = spot.queue AND r.scope = 'tenant' AND r.name = tenant_now), 1) INTO credit;
            END IF;
            IF tenant_now = '' AND line_is_read THEN
              found_ids := NULL;
            ELSIF tenant_now = '' THEN
              ${findHead(schema, { ...withoutTenant, whose: `'-'` })}
              SELECT array_agg(c.id) INTO found_ids FROM (${takeFrom(schema, withoutTenant)}
               WHERE c.id <> ALL (ids) LIMIT least(credit, allowed - cardinality(ids))) AS c;
            ELSE
              head_at := '-infinity';
              head_id := ${lowestId};
              IF limited_kinds ? spot.queue THEN
                ${findHead(schema, { ...ofTenant, whose: `'-' || tenant_now` })}
              END IF;
              SELECT array_agg(c.id) INTO found_ids FROM (${takeFrom(schema, ofTenant)}
               WHERE c.id <> ALL (ids) LIMIT least(credit, allowed - cardinality(ids))) AS c;
            END IF;
            line_is_read := line_is_read OR tenant_now = '' AND found_ids IS NULL;
            barren := CASE WHEN found_ids IS NULL THEN coalesce(barren, tenant_now) END;
            credit := CASE WHEN cardinality(found_ids) = least(credit, allowed - cardinality(ids)) THEN credit - cardinality(found_ids) ELSE 0 END;
            ids := ids || coalesce(found_ids, '{}');
          END LOOP;
          IF cardinality(ids) > 0 OR visits = ${visitsMax} THEN
            UPDATE ${schema}.lane_turns AS t SET reached = tenant_now, turn = credit
             WHERE t.queue = spot.queue AND t.priority = spot.priority AND t.share = ${withoutKey};
            is_cut_off := is_cut_off OR cardinality(ids) < allowed;
          ELSIF visits IS NOT NULL THEN
            ids := NULL;
          END IF;`
}
