SELECT c.relname::text AS "table", pg_total_relation_size(c.oid) AS bytes,
       coalesce(pg_stat_get_dead_tuples(c.oid), 0) AS "deadRows"
  FROM pg_catalog.pg_class AS c JOIN pg_catalog.pg_namespace AS n ON n.oid = c.relnamespace
 WHERE n.nspname = $1 AND c.relkind = 'r' ORDER BY c.relname
