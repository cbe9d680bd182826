update "queue"."workers"
set "slow_claim_ms" = $1, "slow_claim_at" = now()
where "id" = $2
