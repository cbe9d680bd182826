import { Worker as Thread } from 'node:worker_threads'
import type { BindAddress } from '../config/bind-address.ts'
import type { Answer, MainThreadEndpoint, FromOpsThread, OpsThreadData, ToOpsThread } from './protocol.ts'

export interface LaunchOptions {
  readonly address: BindAddress
  readonly patienceMs: number
  readonly endpoints: OpsEndpoints
}

/** The endpoints that only the main thread can answer. */
export interface OpsEndpoints {
  readonly served: readonly MainThreadEndpoint[]
  /** Never rejects. */
  answer(endpoint: MainThreadEndpoint): Promise<Answer>
}

/** A thread that listens. */
export interface OpsThread {
  /** The port as it came out. */
  readonly port: number
  /** Resolves when the thread is gone: with the error that it died of, if it died of one. */
  readonly ended: Promise<unknown>
  /** Drains for so many milliseconds, and ends. */
  close(graceMs: number): Promise<void>
}

/** A thread that has not ended so long after its grace is ended. */
const lateMsMax = 1_000
/** A hundred small requests need little; without a bound each thread would take what a whole process may. */
const heapLimits = { maxYoungGenerationSizeMb: 2, maxOldGenerationSizeMb: 64 }

/** Starts the thread. Throws the error of the socket, with Node's code, when it cannot listen. */
export async function launchOpsThread({ address, patienceMs, endpoints }: LaunchOptions): Promise<OpsThread> {
  const data: OpsThreadData = {
    host: address.host,
    port: address.port,
    patienceMs,
    endpoints: endpoints.served,
  }
  const thread = new Thread(entry, {
    workerData: data,
    execArgv: threadFlags,
    resourceLimits: heapLimits,
    name: 'ops',
  })
  const send = (message: ToOpsThread): void => thread.postMessage(message)
  const ended = untilEnded(thread)
  const port = await untilListening(thread, {
    ended,
    onAsk: (endpoint) =>
      void endpoints.answer(endpoint).then((answer) => send({ type: 'answer', endpoint, answer })),
  })
  const close = async (graceMs: number): Promise<void> => {
    const late = setTimeout(() => void thread.terminate(), graceMs + lateMsMax)
    send({ type: 'close', graceMs })
    await ended
    clearTimeout(late)
  }
  return { port, ended, close }
}

function untilEnded(thread: Thread): Promise<unknown> {
  let cause: unknown
  thread.on('error', (error) => {
    cause = error
  })
  return new Promise((resolve) => thread.once('exit', () => resolve(cause)))
}

interface ThreadEvents {
  readonly ended: Promise<unknown>
  readonly onAsk: (endpoint: MainThreadEndpoint) => void
}

function untilListening(thread: Thread, { ended, onAsk }: ThreadEvents): Promise<number> {
  return new Promise((resolve, reject) => {
    thread.on('message', (message: FromOpsThread) => {
      if (message.type === 'ask') onAsk(message.endpoint)
      else if (message.type === 'listening') resolve(message.port)
      else reject(Object.assign(new Error(message.message), { code: message.code }))
    })
    void ended.then((cause) => reject(new Error('the thread ended before it listened', { cause })))
  })
}

/** Beside this file, as source or as built: the thread runs what its parent runs. */
const isSource = import.meta.url.endsWith('.ts')
const entry = new URL(isSource ? './main.ts' : './main.js', import.meta.url)
const threadFlags = isSource ? ['--disable-warning=ExperimentalWarning'] : []
