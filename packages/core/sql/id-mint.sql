SELECT (date_part('epoch', clock_timestamp()) * 1000)::text AS now_ms
