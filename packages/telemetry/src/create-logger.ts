import { setTimeout as sleep } from 'node:timers/promises'
import type { LogFields, Logger, LogLevel } from '@queue/loop'
import winston from 'winston'
import { createLogFormat, type LogFormat } from './log-format.ts'
import { createLogSink, flushMark } from './log-sink.ts'

export interface LoggerOptions {
  /** Names the process in every line. */
  readonly service: string
  /** The lowest level that is written. */
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
  const { service, level: leastLevel, format, stream = process.stdout } = options
  const pipeline = winston.createLogger({
    level: leastLevel,
    defaultMeta: { service },
    format: createLogFormat(format, takesColours(stream) ? 'terminal' : 'file'),
    transports: [new winston.transports.Stream({ stream: createLogSink(stream) })],
    exitOnError: false,
  })
  const write = (level: LogLevel) => (message: string, fields?: LogFields) => {
    if (pipeline.isLevelEnabled(level)) pipeline.log({ level, message, fields })
  }
  const logger = { debug: write('debug'), info: write('info'), warn: write('warn'), error: write('error') }
  pipelineOf.set(logger, pipeline)
  return logger
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

function takesColours(stream: NodeJS.WritableStream): boolean {
  return 'isTTY' in stream && stream.isTTY === true && !process.env['NO_COLOR']
}
