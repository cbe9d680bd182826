/** The address of the API, unless API_BIND_ADDR is set: reachable only from this machine. The images set another one. */
export const bindAddressDefault = '127.0.0.1:8080'

/** The address of the probes, unless API_OPS_BIND_ADDR is set. */
export const opsBindAddressDefault = '127.0.0.1:8081'
