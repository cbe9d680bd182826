SELECT extract(epoch FROM min(o.next_batch_at) - clock_timestamp()) * 1000::numeric AS ms
  FROM "queue"."operations" AS o WHERE o.state = 'running'
