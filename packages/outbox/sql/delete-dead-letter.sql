DELETE FROM "outbox"."outbox_dead_letters" AS d WHERE d.id = $1::uuid RETURNING d.id
