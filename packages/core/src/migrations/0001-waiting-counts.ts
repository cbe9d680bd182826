/**
 * How many jobs wait in queues with a limit on that.
 *
 * Each index is named by the queries that need it:
 * - waiting_counts_pkey: count-waiting, full-queues, queue.enqueue
 */
export const waitingCounts = (schema: string): string[] => [
  `CREATE TABLE ${schema}.waiting_counts (
  queue text NOT NULL,
  tenant_id text COLLATE "C" NOT NULL DEFAULT '',
  waiting ${schema}.count_integer NOT NULL,
  counted_at timestamptz NOT NULL,
  CONSTRAINT waiting_counts_pkey PRIMARY KEY (queue, tenant_id)
) WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000)`,
]

export const waitingCountTables = ['waiting_counts']
