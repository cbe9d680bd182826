import type { LogFields, Logger, LogLevel } from '@queue/telemetry'

export interface LogLine {
  readonly level: LogLevel
  readonly message: string
  readonly fields: LogFields
}

/** A logger that keeps its lines. */
export function recordingLogger(): { readonly logger: Logger; readonly lines: LogLine[] } {
  const lines: LogLine[] = []
  const branch = (own: LogFields): Logger => {
    const write = (level: LogLevel) => (message: string, fields?: LogFields) =>
      void lines.push({ level, message, fields: { ...own, ...fields } })
    return {
      debug: write('debug'),
      info: write('info'),
      warn: write('warn'),
      error: write('error'),
      child: (fields) => branch({ ...own, ...fields }),
    }
  }
  return { logger: branch({}), lines }
}
