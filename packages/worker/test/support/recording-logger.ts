import type { LogFields, Logger } from '../../src/index.ts'

export interface LogLine {
  readonly level: keyof Logger
  readonly message: string
  readonly fields: LogFields
}

/** A logger that keeps its lines, oldest first. */
export interface RecordingLogger extends Logger {
  readonly lines: readonly LogLine[]
}

export function recordLogger(): RecordingLogger {
  const lines: LogLine[] = []
  const write =
    (level: keyof Logger) =>
    (message: string, fields: LogFields = {}) =>
      void lines.push({ level, message, fields })
  return { lines, debug: write('debug'), info: write('info'), warn: write('warn'), error: write('error') }
}
