SELECT CURRENT_USER::text AS role, host(inet_client_addr()) AS address
