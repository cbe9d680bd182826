import { Writable } from 'node:stream'

/** The symbol under which winston's formats leave the finished line. */
const finishedLine = Symbol.for('message')
/**
 * Marks an entry that is no line: it follows all earlier lines through winston, and its callback is called when it arrives.
 */
export const flushMark = Symbol('flush')

/** What travels through winston and arrives here. */
interface LogEntry {
  readonly [finishedLine]?: string
  readonly [flushMark]?: () => void
}

const guardedStreams = new WeakSet<NodeJS.WritableStream>()

/**
 * The end of winston's pipeline: writes finished lines to a stream. A closed reader (EPIPE) or a full disk costs the lines
 * and nothing else: a process must not die because its log cannot be written.
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
    // The callback of an empty write comes after those of all lines before it, also when the stream has
    // failed.
    if (flushed) stream.write('', () => flushed())
    else stream.write(`${entry[finishedLine] ?? ''}\n`)
  } catch {
    flushed?.()
  }
}
