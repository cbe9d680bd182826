INSERT INTO "queue"."api_key_buckets" AS b (key_id, tokens, granted)
VALUES ($1, $2::float8 - greatest(0, least($3::float8, floor($4::float8))), greatest(0, least($5::float8,
    floor($6::float8))))
ON CONFLICT (key_id) DO UPDATE
  SET tokens = least($7::float8, b.tokens + $8::float8 + greatest(0, date_part('epoch', now() - b.filled_at)) *
      $9::float8) - greatest(0, least($10::float8, floor(least($11::float8, b.tokens + $12::float8 + greatest(0,
      date_part('epoch', now() - b.filled_at)) * $13::float8)))), granted = greatest(0, least($14::float8,
      floor(least($15::float8, b.tokens + $16::float8 + greatest(0, date_part('epoch', now() - b.filled_at)) *
      $17::float8)))), filled_at = greatest(b.filled_at, now())
RETURNING b.granted, b.tokens::numeric AS tokens
