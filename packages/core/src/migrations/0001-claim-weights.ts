// The weight of jobs in claim_lanes. Frozen text, as the rest of the step.
import { pickedLane, withoutKey } from './0001-lane-rows.ts'
import { roomOf, ruleOfKey, tokensOf } from './0001-limit-counters.ts'

/** The limits `l` of the queue and of the kind that a claim looks at which have a rate, with their counters `c`. */
const sharedRates = (schema: string): string => `${schema}.limits AS l JOIN ${schema}.limit_counters AS c
              ON c.queue = l.queue AND c.scope = l.scope AND c.name = l.name AND c.tenant_id = ''
           WHERE l.queue = spot.queue AND (l.scope = 'queue' AND l.name = '' OR l.scope = 'kind' AND l.name = spot.kind)
             AND l.rate_count IS NOT NULL`

/**
 * Leaves of the jobs that a claim has found those that their weights let start: of each key, and then of all, the first ones
 * whose cost the rates have left. Only where one of them has a weight; `weights` says that.
 */
export function fitWeights(schema: string): string {
  return `IF spot.queue = ANY(rated_queues) AND EXISTS (SELECT FROM ${schema}.jobs AS c WHERE c.id = ANY(ids) AND c.weight IS NOT NULL) THEN
          WITH weighed AS MATERIALIZED (
            SELECT t.*, coalesce(c.weight, 1) AS weight, p.key, coalesce(c.tenant_id, '') AS tenant_id
              FROM unnest(ids, numbers, taken_bits) WITH ORDINALITY AS t (id, n, mark, nth)
              JOIN ${schema}.jobs AS c ON c.id = t.id
              LEFT JOIN unnest(picked) WITH ORDINALITY AS ${pickedLane('n')} ON p.n = t.n
          ), of_keys AS MATERIALIZED (
            SELECT p.key, p.tenant_id, l.rate_burst, ${tokensOf} AS tokens
              FROM (SELECT DISTINCT spot.queue AS queue, w.key, w.tenant_id FROM weighed AS w WHERE w.key IS NOT NULL) AS p
             CROSS JOIN LATERAL ${ruleOfKey(schema)} AS l
              JOIN ${schema}.limit_counters AS c
                ON c.queue = p.queue AND c.scope = 'key' AND c.name = p.key AND c.tenant_id = p.tenant_id
             WHERE l.rate_count IS NOT NULL
          ), fitting AS MATERIALIZED (
            SELECT w.*, coalesce(sum(least(w.weight, k.rate_burst)) OVER (PARTITION BY w.key, w.tenant_id ORDER BY w.nth) > k.tokens,
                                 false) AS awaits_key
              FROM weighed AS w LEFT JOIN of_keys AS k ON k.key = w.key AND k.tenant_id = w.tenant_id
          ), shared AS MATERIALIZED (
            SELECT l.scope, l.rate_burst, ${tokensOf} AS tokens FROM ${sharedRates(schema)}
          ), first AS MATERIALIZED (
            SELECT min(o.nth) AS nth FROM (
              SELECT f.nth, sum(least(f.weight, s.rate_burst)) OVER (PARTITION BY s.scope ORDER BY f.nth) > s.tokens AS awaits
                FROM fitting AS f CROSS JOIN shared AS s WHERE NOT f.awaits_key) AS o WHERE o.awaits
          ), started AS MATERIALIZED (
            SELECT f.* FROM fitting AS f CROSS JOIN first AS b WHERE NOT f.awaits_key AND f.nth < coalesce(b.nth, 1000000)
          )
          SELECT (SELECT array_agg(s.id ORDER BY s.nth) FROM started AS s), (SELECT array_agg(s.n ORDER BY s.nth) FROM started AS s),
                 (SELECT array_agg(s.mark ORDER BY s.nth) FROM started AS s),
                 coalesce((SELECT array_agg(s.weight ORDER BY s.nth) FROM started AS s), '{}'),
                 (SELECT array_agg((SELECT f.weight FROM fitting AS f WHERE f.n = p.n AND f.awaits_key ORDER BY f.nth LIMIT 1) ORDER BY p.n)
                    FROM unnest(picked) WITH ORDINALITY AS ${pickedLane('n')}),
                 f.weight, f.n, f.tenant_id
            INTO ids, numbers, taken_bits, weights, lane_heads, head_weight, head_lane, head_tenant
            FROM first AS b LEFT JOIN fitting AS f ON f.nth = b.nth;
          taken := cardinality(weights);
        END IF;`
}

/**
 * What a queue and a kind still let start, once jobs of some weight have. The tenant whose job waits for its tokens is the next
 * again, where tenants have their turns.
 */
export function afterWeights(schema: string): string {
  return `SELECT rooms || coalesce(jsonb_object_agg(l.queue || '/' || l.name, ${roomOf}), '{}') INTO rooms
            FROM ${sharedRates(schema)};
          IF head_weight IS NOT NULL AND NOT spot.is_lane AND fairs ->> spot.queue = 'tenant' THEN
            UPDATE ${schema}.lane_turns AS t SET reached = head_tenant, turn = 1
             WHERE t.queue = spot.queue AND t.priority = spot.priority AND t.share = ${withoutKey};
          END IF;`
}

/** Keys whose first job waits for its tokens save them up, and what is left of a lane goes by what is left of its rate. */
export function afterWeightsOfKeys(schema: string): string {
  return `UPDATE ${schema}.limit_counters AS c SET awaited = p.weight
            FROM unnest(picked, lane_heads) AS ${pickedLane('weight')}
           WHERE p.weight IS NOT NULL AND c.queue = p.queue AND c.scope = 'key' AND c.name = p.key AND c.tenant_id = p.tenant_id;
          lane_rooms := ARRAY(
            SELECT CASE WHEN p.room IS NULL OR l.rate_count IS NULL OR c.running IS NULL THEN p.room ELSE ${roomOf} END
              FROM unnest(picked, lane_rooms) WITH ORDINALITY AS ${pickedLane('room', 'n')}
             CROSS JOIN LATERAL ${ruleOfKey(schema)} AS l
              LEFT JOIN ${schema}.limit_counters AS c
                ON c.queue = p.queue AND c.scope = 'key' AND c.name = p.key AND c.tenant_id = p.tenant_id ORDER BY p.n);`
}
