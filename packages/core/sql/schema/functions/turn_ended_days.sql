CREATE FUNCTION queue.turn_ended_days() RETURNS void
LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $function$
DECLARE
  today timestamptz := date_trunc('day', clock_timestamp(), 'UTC');
  this_day timestamptz;
  from_id uuid;
  below_id uuid;
  leaf text;
BEGIN
  LOCK TABLE queue.ended_days IN SHARE ROW EXCLUSIVE MODE;
  this_day := greatest((SELECT max(d.day) + interval '24 hours'
      FROM queue.ended_days AS d), today - interval '24 hours');
  WHILE this_day <= today + interval '168 hours' LOOP
    from_id := (lpad(to_hex(greatest(0, (extract(epoch FROM this_day) * 1000::numeric)::bigint)), 12, '0') ||
        '70008000000000000000')::uuid;
    below_id := (lpad(to_hex(greatest(0, (extract(epoch FROM (this_day + interval '24 hours')) *
        1000::numeric)::bigint)), 12, '0') || '70008000000000000000')::uuid;
    leaf := 'ended_jobs_' || to_char(this_day AT TIME ZONE 'UTC', 'YYYYMMDD');
    EXECUTE format('CREATE TABLE queue.%I (LIKE queue.ended_jobs INCLUDING ALL)', leaf);
    EXECUTE format('ALTER TABLE queue.ended_jobs ATTACH PARTITION queue.%I FOR VALUES FROM (%L) TO (%L)',
        leaf, from_id, below_id);
    INSERT INTO queue.ended_days (day, below_id) VALUES (this_day, below_id);
    this_day := this_day + interval '24 hours';
  END LOOP;
  FOR this_day, leaf IN
    SELECT d.day, 'ended_jobs_' || to_char(d.day AT TIME ZONE 'UTC', 'YYYYMMDD') FROM queue.ended_days AS d
        WHERE d.day < today - interval '24 hours' ORDER BY d.day
  LOOP
    CONTINUE WHEN pg_relation_size(format('queue.%I', leaf)) > 0;
    BEGIN
      LOCK TABLE queue.ended_jobs IN ACCESS EXCLUSIVE MODE NOWAIT;
    EXCEPTION WHEN lock_not_available THEN
      RETURN;
    END;
    CONTINUE WHEN pg_relation_size(format('queue.%I', leaf)) > 0;
    EXECUTE format('DROP TABLE queue.%I', leaf);
    DELETE FROM queue.ended_days AS d WHERE d.day = this_day;
  END LOOP;
END $function$;

REVOKE ALL ON FUNCTION queue.turn_ended_days() FROM PUBLIC;

SELECT queue.turn_ended_days();
