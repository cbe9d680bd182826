import type { TestDatabase } from './create-test-database.ts'

/** Adds the totals of each queue and of all queues to the job statistics that a test has written, as processes write them. */
export async function addUpStats({ pool, schema }: Pick<TestDatabase, 'pool' | 'schema'>): Promise<void> {
  const counters = ['enqueued', 'started', 'succeeded', 'failed', 'retried', 'cancelled']
  const merged = (name: string): string => `coalesce((
           SELECT jsonb_object_agg(b.key, b.count) FROM (
             SELECT e.key, sum(e.value::bigint) AS count FROM unnest(array_agg(s.${name})) AS one, jsonb_each_text(one) AS e
              GROUP BY e.key) AS b), '{}')`
  await pool.query(
    `INSERT INTO ${schema}.job_stats (period, at, tenant_id, queue, kind, ${counters.join(', ')}, wait_buckets, run_buckets)
     SELECT s.period, s.at, s.tenant_id, o.queue, '*', ${counters.map((name) => `sum(s.${name})`).join(', ')},
            ${merged('wait_buckets')}, ${merged('run_buckets')}
       FROM ${schema}.job_stats AS s CROSS JOIN LATERAL unnest(ARRAY['*', nullif(s.queue, '')]) AS o (queue)
      WHERE s.kind <> '*' AND o.queue IS NOT NULL
      GROUP BY s.period, s.at, s.tenant_id, o.queue
     ON CONFLICT DO NOTHING`,
  )
}
