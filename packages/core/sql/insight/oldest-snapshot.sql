SELECT CASE WHEN bool_or(held.hidden) THEN NULL
            ELSE coalesce(greatest(0, extract(epoch FROM clock_timestamp() - min(held.since))),
                0)
       END AS seconds
  FROM (SELECT a.xact_start AS since, a.query = '<insufficient privilege>' AS hidden
          FROM pg_catalog.pg_stat_activity AS a
         WHERE a.datname = current_database() AND a.pid <> pg_backend_pid()
           -- A vacuum has no user, and is hidden like a session.
           AND a.usesysid IS NOT NULL
           AND (a.backend_xmin IS NOT NULL OR a.backend_xid IS NOT NULL OR a.query = '<insufficient privilege>')
         UNION ALL
        SELECT p.prepared, false FROM pg_catalog.pg_prepared_xacts AS p WHERE p.database = current_database()
       ) AS held
