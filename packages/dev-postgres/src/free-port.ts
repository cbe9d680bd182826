import { createServer } from 'node:net'

/**
 * A TCP port on 127.0.0.1 that is free at this moment. Another process may take it first, so a caller that cannot bind it
 * must try another one.
 */
export async function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer()
    server.once('error', reject)
    server.listen(0, '127.0.0.1', () => {
      const address = server.address()
      server.close(() => {
        if (address !== null && typeof address === 'object') resolve(address.port)
        else reject(new Error('The listening socket has no port number'))
      })
    })
  })
}
