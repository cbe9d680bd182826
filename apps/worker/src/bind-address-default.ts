/**
 * The default of WORKER_METRICS_BIND_ADDR, the address of health and metrics. Only this machine can reach it; the container
 * images set another address.
 */
export const bindAddressDefault = '127.0.0.1:9091'
