/** Where the worker serves its health and metrics unless WORKER_METRICS_BIND_ADDR says otherwise. */
export const bindAddressDefault = '0.0.0.0:9091'
