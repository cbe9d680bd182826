CREATE FUNCTION queue.canonical_number(value numeric) RETURNS text
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp SET extra_float_digits =
    1 AS $function$
DECLARE
  float_text text;
  digits text;
  exponent integer;
  point integer;
  sign text := CASE WHEN value < 0 THEN '-' ELSE '' END;
  nearest float8;
  candidate text;
  step integer;
BEGIN
  IF value = trunc(value) AND abs(value) < 1e15 THEN
    RETURN trunc(value)::text;
  END IF;
  IF abs(value) < 2.4703282292062328e-324 THEN
    RETURN '0';
  END IF;
  nearest := abs(value)::float8;
  float_text := nearest::text;
  exponent := coalesce(substring(float_text FROM 'e(.*)$')::integer, 0);
  float_text := regexp_replace(float_text, 'e.*$', '');
  point := CASE WHEN strpos(float_text, '.') = 0 THEN length(float_text) ELSE strpos(float_text, '.') - 1 END;
  digits := replace(float_text, '.', '');
  point := point + exponent - (length(digits) - length(ltrim(digits, '0')));
  digits := rtrim(ltrim(digits, '0'), '0');
  IF digits = '' THEN
    RETURN '0';
  END IF;
  <<shorter>>
  FOR digit_count IN 15 .. length(digits) - 1 LOOP
    FOREACH step IN ARRAY CASE WHEN substr(digits, digit_count + 1, 1) >= '5' THEN ARRAY[1, 0]
        ELSE ARRAY[0, 1] END LOOP
      candidate := (left(digits, digit_count)::numeric + step)::text;
      CONTINUE WHEN (candidate || 'e' || (point - digit_count))::numeric > 1.7976931348623158e308;
      IF (candidate || 'e' || (point - digit_count))::float8 = nearest THEN
        point := point + length(candidate) - digit_count;
        digits := rtrim(candidate, '0');
        EXIT shorter;
      END IF;
    END LOOP;
  END LOOP;
  RETURN sign || CASE
    WHEN point > 21 OR point <= -6 THEN
      left(digits, 1) || CASE WHEN length(digits) > 1 THEN '.' || substr(digits, 2) ELSE '' END
      || 'e' || CASE WHEN point > 0 THEN '+' ELSE '-' END || abs(point - 1)
    WHEN point <= 0 THEN '0.' || repeat('0', -point) || digits
    WHEN length(digits) <= point THEN digits || repeat('0', point - length(digits))
    ELSE left(digits, point) || '.' || substr(digits, point + 1)
  END;
END $function$;

REVOKE ALL ON FUNCTION queue.canonical_number(numeric) FROM PUBLIC;
