CREATE FUNCTION queue.canonical_json(document jsonb) RETURNS text
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $function$
BEGIN
  CASE jsonb_typeof(document)
    WHEN 'object' THEN
      RETURN (
        SELECT '{' || coalesce(string_agg(to_json(m.key)::text || ':' || queue.canonical_json(m.value), ','
                 ORDER BY m.index, regexp_replace(replace(m.key, chr(1114111), chr(1114111) || chr(1)),
                   E'([\\uE000-\\uFFFF])', chr(1114111) || E'\\1', 'g') COLLATE "C"), '') || '}'
          FROM (SELECT e.key, e.value,
                       CASE WHEN e.key ~ '^(0|[1-9][0-9]{0,9})$' AND e.key::bigint < 4294967295
                           THEN e.key::bigint END AS index
                  FROM jsonb_each(document) AS e) AS m);
    WHEN 'array' THEN
      RETURN (
        SELECT '[' || coalesce(string_agg(queue.canonical_json(e.value), ',' ORDER BY e.position), '') || ']'
          FROM jsonb_array_elements(document) WITH ORDINALITY AS e (value, position));
    WHEN 'number' THEN
      RETURN queue.canonical_number(document::numeric);
    ELSE
      RETURN document::text;
  END CASE;
END $function$;

REVOKE ALL ON FUNCTION queue.canonical_json(jsonb) FROM PUBLIC;
