SELECT ((SELECT count(*) FROM "queue"."api_key_revocations") + (SELECT count(replaces) FROM "queue"."api_keys"))::float8
    AS count
