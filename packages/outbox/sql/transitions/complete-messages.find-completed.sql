SELECT i.id, i.lease_token::text AS lease_token
  FROM unnest($1::uuid[], $2::bigint[]) AS i (id, lease_token)
 CROSS JOIN LATERAL (
   (SELECT FROM "outbox"."outbox_messages" AS m
     WHERE m.id = i.id AND m.lease_token = i.lease_token AND m.leased_by IS NULL OFFSET 0)
   UNION ALL
   (SELECT FROM "outbox"."outbox_dead_letters" AS d WHERE d.id = i.id AND d.lease_token = i.lease_token OFFSET
       0)
 ) AS recorded
