/** Fields of a line, beside its message. */
type LogFields = Readonly<Record<string, unknown>>

type Level = 'debug' | 'info' | 'warn' | 'error'

export interface LogLine {
  readonly level: Level
  readonly message: string
  readonly fields: LogFields
}

/** A logger for everything of ours that logs, which keeps its lines and those of its children, oldest first. */
export interface RecordingLogger extends Record<Level, (message: string, fields?: LogFields) => void> {
  readonly lines: readonly LogLine[]
  /** A logger that adds these fields to its lines; a line's own fields win. */
  child(fields: LogFields): RecordingLogger
}

export function recordLogger(): RecordingLogger {
  const lines: LogLine[] = []
  const branch = (own: LogFields): RecordingLogger => {
    const write = (level: Level) => (message: string, fields?: LogFields) =>
      void lines.push({ level, message, fields: { ...own, ...fields } })
    return {
      lines,
      debug: write('debug'),
      info: write('info'),
      warn: write('warn'),
      error: write('error'),
      child: (fields) => branch({ ...own, ...fields }),
    }
  }
  return branch({})
}
