select max(version) + 1 as "next"
from "queue"."job_kinds"
where "kind" = $1
