SELECT l.virtualtransaction AS writer FROM pg_locks AS l
 WHERE l.locktype = 'relation' AND l.relation = to_regclass(format('%I.jobs', $1::text))::oid AND l.mode = 'RowExclusiveLock'
   AND l.database = (SELECT d.oid FROM pg_database AS d WHERE d.datname = current_database())
   AND l.pid IS DISTINCT FROM pg_backend_pid()
