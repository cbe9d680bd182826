CREATE FUNCTION queue.cancel(id uuid) RETURNS text
LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $function$
DECLARE
  old_status queue.job_status;
  at timestamptz;
BEGIN
  SELECT j.status INTO old_status FROM queue.jobs AS j WHERE j.id = cancel.id FOR UPDATE;
  at := clock_timestamp();
  IF NOT FOUND AND NOT EXISTS (SELECT FROM queue.ended_jobs AS e WHERE e.id = cancel.id) THEN
    RAISE EXCEPTION USING ERRCODE = 'no_data_found', MESSAGE = format('there is no job %s', cancel.id);
  END IF;
  IF old_status IN ('queued', 'retrying') THEN
    UPDATE queue.jobs AS j SET status = 'cancelled', finished_at = at, cancel_requested = true, updated_at =
        greatest(at, date_trunc('milliseconds', j.updated_at) + interval '1 millisecond')
     WHERE j.id = cancel.id;
    INSERT INTO queue.lane_events (due_at, queue, kind, key, tenant_id, priority)
    SELECT at, j.queue, j.kind, j.key, coalesce(j.tenant_id, ''), j.priority FROM queue.jobs AS j
     WHERE j.id = cancel.id AND j.key IS NOT NULL;
    RETURN 'cancelled';
  END IF;
  IF old_status = 'running' THEN
    UPDATE queue.jobs AS j SET cancel_requested = true, updated_at = greatest(at, date_trunc('milliseconds',
        j.updated_at) + interval '1 millisecond')
     WHERE j.id = cancel.id AND NOT j.cancel_requested;
    PERFORM pg_notify('queue.jobs', 'x:' || cancel.id);
    RETURN 'requested';
  END IF;
  RETURN 'already_terminal';
END $function$;

REVOKE ALL ON FUNCTION queue.cancel(uuid) FROM PUBLIC;
