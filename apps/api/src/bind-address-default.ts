/** Where the API listens unless API_BIND_ADDR says otherwise: for this machine alone. Images say otherwise. */
export const bindAddressDefault = '127.0.0.1:8080'

/** The same for the port of the probes, and API_OPS_BIND_ADDR. */
export const opsBindAddressDefault = '127.0.0.1:8081'
