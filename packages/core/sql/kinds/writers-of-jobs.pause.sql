SELECT pg_sleep(0.05)
