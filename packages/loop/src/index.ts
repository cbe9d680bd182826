/** Building blocks for the loops of a worker and of an outbox relay. They know nothing about jobs or messages. */
export { type Batch, type BatchesOptions, runBatches } from './batches.ts'
export { describeError, errorLengthMax, storableText } from './describe-error.ts'
export { type LogFields, type Logger, type LogLevel, logLevels, stderrLogger, withFields } from './logger.ts'
export { neverThrowing, type NeverThrowingOptions } from './never-throwing.ts'
export { explainMissingThread, threadFile, threadSettings } from './thread-file.ts'
export {
  type Alarm,
  createAlarm,
  createTicker,
  monotonicMs,
  type Ticker,
  type TickerOptions,
  timerMsMax,
} from './timers.ts'
