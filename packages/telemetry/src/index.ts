/** The logger, the metrics registry and the traces as every deployed process uses them. */
export { createBoundedLabel, labelValuesMax, otherLabel } from './bounded-label.ts'
export { createLogger, flushLogger, type LoggerOptions } from './create-logger.ts'
export { durationBucketsSeconds } from './duration-buckets.ts'
export { createHttpMetrics, type HttpMetrics, type HttpRequestObservation } from './http-metrics.ts'
export { limitLines, type LimitLinesOptions } from './limit-lines.ts'
export {
  type LogFields,
  type LogFormat,
  type Logger,
  type LogLevel,
  logFormats,
  logLevels,
} from './logger.ts'
export { createMetricsRegistry, type MetricsRegistry } from './metrics-registry.ts'
export {
  createOutboxMetrics,
  observeOutbox,
  type OutboxMetrics,
  type OutboxReading,
} from './outbox-metrics.ts'
export { observePool, type PoolCounts } from './pool-metrics.ts'
export {
  observeQueues,
  type ObserveQueuesOptions,
  type QueueDepth,
  type QueueReading,
} from './queue-metrics.ts'
export { redactConnectionString, redactText } from './redact.ts'
export { type RenderedMetrics, renderMetrics } from './render-metrics.ts'
export {
  createTracing,
  type TracedAttempt,
  type TracedJob,
  type TracedRequest,
  type Tracing,
} from './tracing.ts'
export { createWorkerMetrics, type JobOutcome, jobOutcomes, type WorkerMetrics } from './worker-metrics.ts'
