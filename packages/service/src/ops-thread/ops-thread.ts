/**
 * The ops thread. It owns the socket of the ops endpoints, so that /livez is answered while the main thread is busy. It loads
 * only Node's own modules, because every module that a thread loads is in memory a second time.
 */
import { parentPort, workerData } from 'node:worker_threads'
import { bindServer } from '../bind-server.ts'
import { closeHttpServer } from '../close-http-server.ts'
import { createOpsHttpServer } from './http-server.ts'
import { createMainThread } from './main-thread.ts'
import type { FromOpsThread, OpsThreadData, ToOpsThread } from './protocol.ts'

const { patienceMs, endpoints, ...address } = workerData as OpsThreadData
const mainThread = createMainThread({ patienceMs, send: (endpoint) => tell({ type: 'ask', endpoint }) })
const server = createOpsHttpServer({ host: address.host, endpoints, ask: mainThread.ask })

function tell(message: FromOpsThread): void {
  parentPort?.postMessage(message)
}

async function listen(): Promise<void> {
  try {
    tell({ type: 'listening', port: await bindServer(server, address) })
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    tell({ type: 'refused', code, message })
    parentPort?.close()
  }
}

parentPort?.on('message', (message: ToOpsThread) => {
  if (message.type === 'answer') mainThread.answered(message.endpoint, message.answer)
  // The message port stays open meanwhile, because requests in flight may still wait for the main thread.
  else void closeHttpServer(server, message).then(() => parentPort?.close())
})

void listen()
