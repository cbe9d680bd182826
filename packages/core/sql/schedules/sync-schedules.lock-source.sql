INSERT INTO "queue"."schedule_sources" AS o (tenant_id, source, revision) VALUES ($1, $2, $3)
ON CONFLICT (tenant_id, source) DO UPDATE
   SET revision = greatest(o.revision, excluded.revision),
       synced_at = CASE WHEN excluded.revision >= o.revision THEN statement_timestamp() ELSE o.synced_at END
RETURNING o.revision::bigint AS revision
