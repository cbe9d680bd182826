SELECT "queue"."turn_ended_days"()
  FROM (SELECT max(d.day) AS last_day, min(d.day) AS first_day FROM "queue"."ended_days" AS d) AS days
 WHERE (last_day >= now() + interval '144 hours') IS NOT TRUE OR first_day < now() - interval '48 hours'
