/** The fields of a line, without its message. */
type LogFields = Readonly<Record<string, unknown>>

type Level = 'debug' | 'info' | 'warn' | 'error'

export interface LogLine {
  readonly level: Level
  readonly message: string
  readonly fields: LogFields
}

/** A logger for every part of the queue. It records its lines, oldest first. */
export interface RecordingLogger extends Record<Level, (message: string, fields?: LogFields) => void> {
  readonly lines: readonly LogLine[]
}

export function recordLogger(): RecordingLogger {
  const lines: LogLine[] = []
  const write =
    (level: Level) =>
    (message: string, fields: LogFields = {}) =>
      void lines.push({ level, message, fields })
  return { lines, debug: write('debug'), info: write('info'), warn: write('warn'), error: write('error') }
}
