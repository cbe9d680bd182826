select count(*)::int as "kinds"
from "queue"."job_kinds"
