CREATE FUNCTION queue.payload_fault(payload jsonb) RETURNS text
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $function$
BEGIN
  IF payload IS NULL THEN
    RETURN 'is required';
  END IF;
  IF jsonb_path_exists(payload, 'strict $.**{65}') THEN
    RETURN 'nested deeper than 64';
  END IF;
  -- The text is only a hint: the end of a longer name may look like it.
  IF strpos(payload::text, '"__proto__":') > 0 AND jsonb_path_exists(payload, '$.**."__proto__"') THEN
    RETURN 'has a member named __proto__';
  END IF;
  IF octet_length(payload::text) > 100000 AND (SELECT count(*)
      FROM jsonb_path_query(payload, 'strict $.**')) > 100000 THEN
    RETURN 'is a document of more than 100000 values';
  END IF;
  IF octet_length(payload::text) > 300 AND jsonb_path_exists(payload,
       'strict $.** ? (@.type() == "number" && (@ > 1.7976931348623157e308 || @ < -1.7976931348623157e308))')
           THEN
    RETURN 'contains a number beyond the range of a double';
  END IF;
  IF octet_length(payload::text) > 15 AND EXISTS (
       SELECT FROM jsonb_path_query(payload, 'strict $.** ? (@.type() == "number")') AS d (value)
        CROSS JOIN LATERAL (SELECT d.value::numeric AS number) AS n
        WHERE length(d.value::text) > 15
          AND (n.number = trunc(n.number) AND abs(n.number) > 9007199254740992 AND abs(n.number) < 1e21
               OR queue.canonical_number(n.number)::numeric <> n.number)) THEN
    RETURN 'contains a number that a double does not keep: send it as a text';
  END IF;
  IF octet_length(payload::text) > 1048576 AND octet_length(queue.canonical_json(payload)) > 1048576 THEN
    RETURN 'is larger than 1048576 bytes';
  END IF;
  RETURN NULL;
END $function$;

REVOKE ALL ON FUNCTION queue.payload_fault(jsonb) FROM PUBLIC;
