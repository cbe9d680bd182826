/** What the loops of a worker and of an outbox relay are made of. It knows no jobs and no messages. */
export { createGroupCommit, type GroupCommitOptions, mayPass } from './group-commit.ts'
export { createListener, type Listener, type ListenerHealth, type ListenerOptions } from './listener.ts'
export { type LogFields, type Logger, type LogLevel, logLevels, stderrLogger, withFields } from './logger.ts'
export { neverThrowing, type NeverThrowingOptions } from './never-throwing.ts'
export {
  type Alarm,
  createAlarm,
  createTicker,
  type Ticker,
  type TickerOptions,
  timerMsMax,
} from './timers.ts'
