SELECT "queue"."erase_from_audit"($1::uuid, $2::uuid[])
