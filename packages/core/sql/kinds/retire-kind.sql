WITH before AS MATERIALIZED (
  SELECT k.kind, k.version, k.retired_at FROM "queue"."job_kinds" AS k WHERE k.kind = $1 ORDER BY k.version FOR
      UPDATE
)
UPDATE "queue"."job_kinds" AS k SET retired_at = coalesce(before.retired_at, now())
  FROM before WHERE k.kind = before.kind AND k.version = before.version
RETURNING before.retired_at IS NULL AS changed
