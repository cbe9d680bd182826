SELECT "queue"."note_batch"($1::uuid, $2::int, $3::uuid[])
