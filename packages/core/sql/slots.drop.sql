DELETE FROM "queue"."job_unique_slots" AS s USING unnest($1::text[], $2::text[],
$3::text[]) AS i (tenant_id, kind, key) WHERE s.tenant_id = i.tenant_id AND s.kind = i.kind AND s.key = i.key
