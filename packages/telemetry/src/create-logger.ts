import { setTimeout as sleep } from 'node:timers/promises'
import type { LogFields, Logger, LogLevel } from '@queue/loop'
import { assertKnownOptions } from '@queue/loop/arguments'
import winston from 'winston'
import { createLogFormat, type LogFormat } from './log-format.ts'
import { createLogSink, flushMark } from './log-sink.ts'

export interface LoggerOptions {
  /** The name of the process in every line. */
  readonly service: string
  /** The lowest level that is written. */
  readonly level: LogLevel
  readonly format: LogFormat
  /** The stream of the lines. Default: standard output. */
  readonly stream?: NodeJS.WritableStream
}

/** How long flushLogger waits for a stream that accepts no data. */
const flushWaitMsMax = 2_000

const pipelineOf = new WeakMap<Logger, winston.Logger>()

/**
 * A logger on winston: one line per call, JSON or readable, times in ISO 8601 UTC, errors with their stacks. It never throws,
 * whatever values it gets (cycles, BigInt, getters that throw, megabytes), and it masks the passwords of connection strings
 * wherever they occur.
 */
export function createLogger(options: LoggerOptions): Logger {
  assertKnownOptions('createLogger', options, { service: true, level: true, format: true, stream: true })
  const { service, level: lowestLevel, format, stream = process.stdout } = options
  const pipeline = winston.createLogger({
    level: lowestLevel,
    defaultMeta: { service },
    format: createLogFormat(format, showsColours(stream) ? 'terminal' : 'file'),
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
 * Resolves when every line logged so far has been passed to the operating system. Await it before the process exits. It gives up
 * after 2 s on a stream that accepts no data. Does nothing for loggers that `createLogger` has not created.
 */
export async function flushLogger(logger: Logger): Promise<void> {
  const pipeline = pipelineOf.get(logger)
  if (!pipeline) return
  const flushed = new AbortController()
  pipeline.log({ level: 'error', message: '', [flushMark]: () => flushed.abort() })
  await sleep(flushWaitMsMax, undefined, { signal: flushed.signal }).catch(() => undefined)
}

function showsColours(stream: NodeJS.WritableStream): boolean {
  return 'isTTY' in stream && stream.isTTY === true && !process.env['NO_COLOR']
}
