SELECT j.id FROM (SELECT unnest($1::uuid[]) AS id) AS i
 CROSS JOIN LATERAL (SELECT j.id FROM "queue"."jobs" AS j WHERE j.id = i.id FOR NO KEY UPDATE) AS j
