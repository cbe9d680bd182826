/** The default of WORKER_METRICS_BIND_ADDR. Only this machine can reach it; the container images set another address. */
export const workerBindAddressDefault = '127.0.0.1:9091'
