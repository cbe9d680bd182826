CREATE FUNCTION queue.forget_jobs() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $function$
BEGIN
  NEW.up_to := NEW.id;
  NEW.reached := NULL;
  IF NEW.act = 'erase' THEN
    NEW.filter := 'null';
  END IF;
  RETURN NEW;
END $function$;

REVOKE ALL ON FUNCTION queue.forget_jobs() FROM PUBLIC;
