/**
 * Where the worker serves its health and metrics unless WORKER_METRICS_BIND_ADDR says otherwise: for this machine
 * alone. Images say otherwise.
 */
export const bindAddressDefault = '127.0.0.1:9091'
