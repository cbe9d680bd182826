CREATE FUNCTION queue.metadata_fault(metadata jsonb) RETURNS text
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $function$
BEGIN
  IF jsonb_typeof(metadata) <> 'object' THEN
    RETURN 'must be an object';
  END IF;
  IF (SELECT count(*) FROM jsonb_object_keys(metadata)) > 20 THEN
    RETURN 'has more than 20 members';
  END IF;
  IF EXISTS (SELECT FROM jsonb_object_keys(metadata) AS k (name)
      WHERE k.name !~ '^[A-Za-z0-9][A-Za-z0-9_.-]{0,62}$') THEN
    RETURN 'has a name that does not match ^[A-Za-z0-9][A-Za-z0-9_.-]{0,62}$';
  END IF;
  IF EXISTS (SELECT FROM jsonb_each(metadata) AS m WHERE jsonb_typeof(m.value) NOT IN ('string', 'number',
      'boolean')) THEN
    RETURN 'has a value that is not a text, a number or a boolean';
  END IF;
  IF jsonb_path_exists(metadata,
      '$.* ? (@.type() == "number" && (@ > 1.7976931348623157e308 || @ < -1.7976931348623157e308))') THEN
    RETURN 'contains a number beyond the range of a double';
  END IF;
  IF octet_length(metadata::text) > 15 AND EXISTS (
       SELECT FROM jsonb_path_query(metadata, 'strict $.** ? (@.type() == "number")') AS d (value)
        CROSS JOIN LATERAL (SELECT d.value::numeric AS number) AS n
        WHERE length(d.value::text) > 15
          AND (n.number = trunc(n.number) AND abs(n.number) > 9007199254740992 AND abs(n.number) < 1e21
               OR queue.canonical_number(n.number)::numeric <> n.number)) THEN
    RETURN 'contains a number that a double does not keep: send it as a text';
  END IF;
  IF octet_length(queue.canonical_json(metadata)) > 4096 THEN
    RETURN 'is larger than 4096 bytes';
  END IF;
  RETURN NULL;
END $function$;

REVOKE ALL ON FUNCTION queue.metadata_fault(jsonb) FROM PUBLIC;
