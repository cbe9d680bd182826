SELECT coalesce(sum(part.pending), 0)::text AS pending,
       greatest(0, coalesce(extract(epoch FROM now() - min(part.oldest)), 0)) AS oldest_seconds
  FROM (
    SELECT count(*) AS pending, min(m.created_at) AS oldest FROM "outbox"."outbox_messages" AS m
     WHERE m.delivered_at IS NULL AND m.key IS NULL AND NOT m.last_attempt
    UNION ALL
    SELECT count(*), min(m.created_at) FROM "outbox"."outbox_messages" AS m WHERE m.delivered_at IS NULL AND m.key
        IS NOT NULL
    UNION ALL
    SELECT count(*), min(m.created_at) FROM "outbox"."outbox_messages" AS m
     WHERE m.delivered_at IS NULL AND m.last_attempt AND m.key IS NULL
  ) AS part
