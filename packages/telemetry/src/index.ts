/** The logger, the metrics registry and the tracing of every deployed process. */
export { createLogger, flushLogger, type LoggerOptions } from './create-logger.ts'
export { createHttpMetrics, type HttpMetrics, type HttpRequestObservation } from './http-metrics.ts'
export { createRefusalMetrics, type LimitReading } from './limit-metrics.ts'
export { limitLines, type LimitLinesOptions } from './limit-lines.ts'
export { type LogFormat, logFormats } from './log-format.ts'
// The logger interface of all packages.
export { type LogFields, type Logger, type LogLevel, logLevels } from '@queue/loop'
export {
  createBoundedLabel,
  createMetricsRegistry,
  durationBucketsSeconds,
  labelValuesMax,
  type MetricsRegistry,
  otherLabel,
} from './metrics-registry.ts'
export { createOutboxMetrics, observeOutbox, type OutboxReading } from './outbox-metrics.ts'
export { type ObservedPool, observePools } from './pool-metrics.ts'
export {
  observeQueues,
  type ObserveQueuesOptions,
  type QueueReading,
} from './queue-metrics.ts'
export type { QueueDepth } from './queue-series.ts'
export { redactConnectionString, redactText } from './redact.ts'
export { type RenderedMetrics, renderMetrics } from './render-metrics.ts'
export {
  createTracing,
  type TracedAttempt,
  type TracedJob,
  type TracedRequest,
  type Tracing,
} from './tracing.ts'
export { createWorkerMetrics } from './worker-metrics.ts'
