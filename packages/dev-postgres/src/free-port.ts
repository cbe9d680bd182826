import { createServer } from 'node:net'

/**
 * A TCP port on 127.0.0.1 that was free a moment ago. Another process may take it before you do: whoever
 * binds it must be ready to ask for another one.
 */
export async function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer()
    server.once('error', reject)
    server.listen(0, '127.0.0.1', () => {
      const address = server.address()
      server.close(() => {
        if (address !== null && typeof address === 'object') resolve(address.port)
        else reject(new Error('The system gave no port number for a listening socket'))
      })
    })
  })
}
