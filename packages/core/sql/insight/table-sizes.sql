SELECT coalesce(p.relname, c.relname)::text AS "table", sum(pg_total_relation_size(c.oid))::bigint AS bytes,
       coalesce(sum(pg_stat_get_dead_tuples(c.oid)), 0)::bigint AS "deadRows"
  FROM pg_catalog.pg_class AS c JOIN pg_catalog.pg_namespace AS n ON n.oid = c.relnamespace
  LEFT JOIN (pg_catalog.pg_inherits AS i JOIN pg_catalog.pg_class AS p ON p.oid = i.inhparent) ON i.inhrelid =
      c.oid
 WHERE n.nspname = $1 AND c.relkind = 'r' GROUP BY coalesce(p.relname, c.relname) ORDER BY 1
