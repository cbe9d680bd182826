// How `claim_lanes` charges rates for jobs with a weight.
import { pickedLane, keylessShare } from './0001-lane-rows.ts'
import { roomOf, ruleOfKey, tokensOf } from '../database/limit-counters.ts'

/** The limits `l` of the target's queue and kind that have a rate, with their counters `c`. */
const sharedRates = (schema: string): string => `${schema}.limits AS l JOIN ${schema}.limit_counters AS c
              ON c.queue = l.queue AND c.scope = l.scope AND c.name = l.name AND c.tenant_id = ''
           WHERE l.queue = target.queue AND (l.scope = 'queue' AND l.name = '' OR l.scope = 'kind' AND l.name = target.kind)
             AND l.rate_count IS NOT NULL`

/**
 * Reduces the jobs of a round to those that the rates can pay for: of each key, and then of all, the first ones whose
 * weights fit the tokens that are left. Does nothing, and leaves `weights` null, unless one of the jobs has a weight.
 */
export function fitWeights(schema: string): string {
  return `IF target.queue = ANY(rated_queues) AND EXISTS (SELECT FROM ${schema}.jobs AS c WHERE c.id = ANY(ids) AND c.weight IS NOT NULL) THEN
          WITH weighed AS MATERIALIZED (
            SELECT t.*, coalesce(c.weight, 1) AS weight, p.key, coalesce(c.tenant_id, '') AS tenant_id
              FROM unnest(ids, lane_numbers, job_bits) WITH ORDINALITY AS t (id, n, bit, nth)
              JOIN ${schema}.jobs AS c ON c.id = t.id
              LEFT JOIN unnest(picked_lanes) WITH ORDINALITY AS ${pickedLane('n')} ON p.n = t.n
          ), of_keys AS MATERIALIZED (
            SELECT p.key, p.tenant_id, l.rate_burst, ${tokensOf} AS tokens
              FROM (SELECT DISTINCT target.queue AS queue, w.key, w.tenant_id FROM weighed AS w WHERE w.key IS NOT NULL) AS p
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
                 (SELECT array_agg(s.bit ORDER BY s.nth) FROM started AS s),
                 coalesce((SELECT array_agg(s.weight ORDER BY s.nth) FROM started AS s), '{}'),
                 (SELECT array_agg((SELECT f.weight FROM fitting AS f WHERE f.n = p.n AND f.awaits_key ORDER BY f.nth LIMIT 1) ORDER BY p.n)
                    FROM unnest(picked_lanes) WITH ORDINALITY AS ${pickedLane('n')}),
                 f.weight, f.n, f.tenant_id
            INTO ids, lane_numbers, job_bits, weights, waiting_weights, waiting_weight, waiting_lane, waiting_tenant
            FROM first AS b LEFT JOIN fitting AS f ON f.nth = b.nth;
          claimed_count := cardinality(weights);
        END IF;`
}

/**
 * Recomputes how many jobs the queue and the kind still let start after jobs with weights. In a queue that is fair by
 * tenant, the tenant whose job waits for tokens has the next turn again.
 */
export function chargeSharedRates(schema: string): string {
  return `SELECT rooms || coalesce(jsonb_object_agg(l.queue || '/' || l.name, ${roomOf}), '{}') INTO rooms
            FROM ${sharedRates(schema)};
          IF waiting_weight IS NOT NULL AND NOT target.is_lane AND fair_queues ->> target.queue = 'tenant' THEN
            UPDATE ${schema}.lane_turns AS t SET reached = waiting_tenant, turn = 1
             WHERE t.queue = target.queue AND t.priority = target.priority AND t.share = ${keylessShare};
          END IF;`
}

/**
 * Lets each key whose first job waits for tokens save them up, and recomputes how many jobs each lane may start by what
 * its rate has left.
 */
export function chargeKeyRates(schema: string): string {
  return `UPDATE ${schema}.limit_counters AS c SET awaited = p.weight
            FROM unnest(picked_lanes, waiting_weights) AS ${pickedLane('weight')}
           WHERE p.weight IS NOT NULL AND c.queue = p.queue AND c.scope = 'key' AND c.name = p.key AND c.tenant_id = p.tenant_id;
          lane_rooms := ARRAY(
            SELECT CASE WHEN p.room IS NULL OR l.rate_count IS NULL OR c.running IS NULL THEN p.room ELSE ${roomOf} END
              FROM unnest(picked_lanes, lane_rooms) WITH ORDINALITY AS ${pickedLane('room', 'n')}
             CROSS JOIN LATERAL ${ruleOfKey(schema)} AS l
              LEFT JOIN ${schema}.limit_counters AS c
                ON c.queue = p.queue AND c.scope = 'key' AND c.name = p.key AND c.tenant_id = p.tenant_id ORDER BY p.n);`
}
