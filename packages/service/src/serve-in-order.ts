import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/**
 * Serves the requests of a connection one after the other. Node begins all requests that a client has sent without awaiting their
 * answers, so that one connection could occupy a process with thousands. A connection on which more than `unansweredMax` requests
 * have no answer is closed.
 */
export function serveInOrder(listener: RequestListener, unansweredMax: number): RequestListener {
  /** What waits behind the request that is served, for each connection that serves one. */
  const waiting = new WeakMap<Socket, (() => void)[]>()
  const begin = (request: IncomingMessage, response: ServerResponse): void => {
    const { socket } = request
    response.once('close', () => {
      const next = waiting.get(socket)?.shift()
      if (socket.destroyed || next === undefined) waiting.delete(socket)
      else next()
    })
    listener(request, response)
  }
  return (request, response) => {
    const { socket } = request
    const behind = waiting.get(socket)
    if (behind === undefined) {
      waiting.set(socket, [])
      begin(request, response)
    } else if (behind.length < unansweredMax - 1) behind.push(() => begin(request, response))
    else socket.destroy()
  }
}
