import { connect } from 'node:net'

export interface RawAnswer {
  /** 0 when the connection was closed without an answer. */
  readonly status: number
  readonly head: string
  readonly body: string
}

interface Patience {
  /** How long the connection may be silent; by default 300 ms, once the answer has begun. */
  readonly idleMs?: number
  /** Silence counts once this has resolved; by default at once where `idleMs` is given. */
  readonly from?: Promise<unknown>
}

/** Sends these bytes over a connection of their own, and gives what comes back until it closes or is silent. */
export function rawRequest(
  port: number,
  bytes: string | Buffer,
  { idleMs, from }: Patience = {},
): Promise<RawAnswer> {
  return new Promise((resolve, reject) => {
    const begun = Promise.withResolvers<void>()
    const socket = connect(port, '127.0.0.1', () => socket.write(bytes))
    const chunks: Buffer[] = []
    const finish = (): void => {
      socket.destroy()
      // An interim answer says only that the body may follow.
      resolve(
        parse(
          Buffer.concat(chunks)
            .toString('utf8')
            .replace(/^HTTP\/1\.1 100 Continue\r\n\r\n/, ''),
        ),
      )
    }
    socket.on('data', (chunk) => {
      chunks.push(chunk)
      begun.resolve()
    })
    // A busy machine can take long to answer, but not to send the rest of an answer.
    const counted = from ?? (idleMs === undefined ? begun.promise : Promise.resolve())
    void counted.then(() => socket.setTimeout(idleMs ?? 300, finish))
    socket.on('end', finish)
    socket.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'ECONNRESET' || error.code === 'EPIPE') finish()
      else reject(error)
    })
  })
}

function parse(text: string): RawAnswer {
  const [head = '', ...rest] = text.split('\r\n\r\n')
  return { status: Number(/^HTTP\/1\.1 (\d{3})/.exec(head)?.[1] ?? 0), head, body: rest.join('\r\n\r\n') }
}
