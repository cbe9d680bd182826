SELECT encode(s.id, 'hex') AS id, s.key_id, encode(s.token_proof, 'hex') AS token_proof, s.claims::text AS claims,
    (round(date_part('epoch', s.expires_at) * 1000000::float8)::bigint / 1000) AS expires_at,
       (round(date_part('epoch', s.expires_at) * 1000000::float8)::bigint / 1000) - (round(date_part('epoch',
           now()) * 1000000::float8)::bigint / 1000) AS expires_in_ms
  FROM "queue"."api_sessions" AS s WHERE s.id = ANY($1::bytea[]) AND s.expires_at > now()
