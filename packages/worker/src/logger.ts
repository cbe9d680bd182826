// What the runtime logs to is what handlers log to.
export type { LogFields, Logger } from '@queue/executor'
export { logLevels, stderrLogger, withFields } from '@queue/loop'
