SELECT (round(date_part('epoch', clock_timestamp()) * 1000000::float8)::bigint / 1000)::text AS now_ms
