UPDATE "queue"."operations" AS o
   SET changed = o.changed + $1::int, skipped = o.skipped + $2::int,
       reached = coalesce($3::uuid, o.reached), state = $4, reason = $5,
       last_batch_at = statement_timestamp(),
       next_batch_at = statement_timestamp() + $6::float8 * interval '1 second',
       finished_at = CASE WHEN $7 = 'running' THEN NULL ELSE statement_timestamp() END
 WHERE o.id = $8::uuid
