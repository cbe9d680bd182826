import { setTimeout as sleep } from 'node:timers/promises'
import winston from 'winston'
import { formatJson } from './format-json.ts'
import { formatPretty, formatPrettyInColour } from './format-pretty.ts'
import { createLogRecord, type LogRecord } from './log-record.ts'
import { createLogSink, finishedLine, flushMark } from './log-sink.ts'
import { type LogFields, type LogFormat, type Logger, type LogLevel } from './logger.ts'

export interface LoggerOptions {
  /** Names the process in every line. */
  readonly service: string
  /** The least grave level that is written. */
  readonly level: LogLevel
  readonly format: LogFormat
  /** Where the lines go; standard output unless given. */
  readonly stream?: NodeJS.WritableStream
}

/** How long flushLogger waits for a stream that takes nothing. */
const flushWaitMsMax = 2_000

const pipelineOf = new WeakMap<Logger, winston.Logger>()

/**
 * A logger on winston: one line per call, JSON or readable, times in ISO 8601 UTC, errors with their stacks.
 * It never throws, whatever it is given (cycles, BigInt, hostile getters, megabytes), and it masks the
 * passwords of connection strings wherever they occur.
 */
export function createLogger(options: LoggerOptions): Logger {
  const stream = options.stream ?? process.stdout
  const pipeline = winston.createLogger({
    level: options.level,
    format: finishLine(pickFormat(options.format, stream)),
    transports: [new winston.transports.Stream({ stream: createLogSink(stream) })],
    exitOnError: false,
  })
  return createBranch({ pipeline, service: options.service, fields: [] })
}

/**
 * Resolves when every line logged so far has been handed to the operating system; to be awaited before the
 * process exits. A stream that takes nothing for 2 s is given up. Loggers that are not ours have nothing to
 * flush.
 */
export async function flushLogger(logger: Logger): Promise<void> {
  const pipeline = pipelineOf.get(logger)
  if (!pipeline) return
  const flushed = new AbortController()
  pipeline.log({ level: 'error', message: '', [flushMark]: () => flushed.abort() })
  await sleep(flushWaitMsMax, undefined, { signal: flushed.signal }).catch(() => undefined)
}

interface Branch {
  readonly pipeline: winston.Logger
  readonly service: string
  readonly fields: readonly LogFields[]
}

function createBranch(branch: Branch): Logger {
  const write = (level: LogLevel, message: string, fields?: LogFields): void => {
    if (!branch.pipeline.isLevelEnabled(level)) return
    const layers = fields === undefined ? branch.fields : [...branch.fields, fields]
    const record = createLogRecord({ level, service: branch.service, message, fields: layers })
    branch.pipeline.log({ level, message: '', record })
  }
  const logger: Logger = {
    debug: (message, fields) => write('debug', message, fields),
    info: (message, fields) => write('info', message, fields),
    warn: (message, fields) => write('warn', message, fields),
    error: (message, fields) => write('error', message, fields),
    child: (fields) => createBranch({ ...branch, fields: [...branch.fields, fields] }),
  }
  pipelineOf.set(logger, branch.pipeline)
  return logger
}

function finishLine(format: (record: LogRecord) => string): winston.Logform.Format {
  return winston.format((info) => {
    // A flush mark bears no record and passes as it is.
    if (info['record'] !== undefined) info[finishedLine] = format(info['record'] as LogRecord)
    return info
  })()
}

function pickFormat(format: LogFormat, stream: NodeJS.WritableStream): (record: LogRecord) => string {
  if (format === 'json') return formatJson
  const inColour = 'isTTY' in stream && stream.isTTY === true && !process.env['NO_COLOR']
  return inColour ? formatPrettyInColour : formatPretty
}
