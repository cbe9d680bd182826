update "queue"."workers"
set "state" = 'stopped'
where "id" = $1
  and "state" = 'active'
