SELECT ((SELECT count(*) FROM "queue"."api_key_revocations") + (SELECT count(replaces) FROM "queue"."api_keys"))
    AS count
