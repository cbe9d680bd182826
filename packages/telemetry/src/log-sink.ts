import { Writable } from 'node:stream'

/** The symbol under which winston's formats store the finished line. */
const finishedLine = Symbol.for('message')
/**
 * Marks an entry that is not a line. It passes through winston behind all earlier lines, and its callback is called at the end.
 */
export const flushMark = Symbol('flush')

/** An entry at the end of winston's pipeline. */
interface LogEntry {
  readonly [finishedLine]?: string
  readonly [flushMark]?: () => void
}

const guardedStreams = new WeakSet<NodeJS.WritableStream>()

/**
 * The end of winston's pipeline: writes finished lines to a stream. If the reader has closed (EPIPE) or the disk is full, the
 * lines are lost, but the process must not die because of its log.
 */
export function createLogSink(stream: NodeJS.WritableStream): Writable {
  guard(stream)
  return new Writable({
    objectMode: true,
    write(entry: LogEntry, _encoding, next) {
      writeEntry(entry, stream)
      next()
    },
  })
}

function guard(stream: NodeJS.WritableStream): void {
  if (guardedStreams.has(stream)) return
  guardedStreams.add(stream)
  stream.on('error', () => undefined)
}

function writeEntry(entry: LogEntry, stream: NodeJS.WritableStream): void {
  const flushed = entry[flushMark]
  try {
    // The callback of an empty write comes after the callbacks of all earlier lines, even if the stream has failed.
    if (flushed) stream.write('', () => flushed())
    else stream.write(`${entry[finishedLine] ?? ''}\n`)
  } catch {
    flushed?.()
  }
}
