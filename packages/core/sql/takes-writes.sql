SELECT NOT pg_catalog.pg_is_in_recovery()
       AND pg_catalog.current_setting('transaction_read_only') = 'off' AS writable
