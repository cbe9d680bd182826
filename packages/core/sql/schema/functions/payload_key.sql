CREATE FUNCTION queue.payload_key(pointer text, payload jsonb) RETURNS text
LANGUAGE plpgsql IMMUTABLE SET search_path = pg_catalog, pg_temp AS $function$
DECLARE
  value jsonb := payload;
  step text;
BEGIN
  IF pointer IS NULL THEN
    RETURN NULL;
  END IF;
  FOREACH step IN ARRAY (string_to_array(pointer, '/'))[2:] LOOP
    step := replace(replace(step, '~1', '/'), '~0', '~');
    value := CASE jsonb_typeof(value) WHEN 'object' THEN value -> step
                                      WHEN 'array' THEN CASE WHEN step ~ '^(0|[1-9][0-9]{0,8})$'
                                          THEN value -> step::integer END END;
  END LOOP;
  RETURN CASE jsonb_typeof(value) WHEN 'string' THEN value #>> '{}'
                                  WHEN 'number' THEN queue.canonical_number(value::numeric)
                                  WHEN 'boolean' THEN value::text
                                  WHEN 'object' THEN ''
                                  WHEN 'array' THEN '' END;
END $function$;

REVOKE ALL ON FUNCTION queue.payload_key(text, jsonb) FROM PUBLIC;
