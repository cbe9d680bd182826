// oxlint-disable-next-line unicorn/prefer-node-protocol -- webpack finds threads only under the short name.
import { Worker as Thread, type WorkerOptions } from 'worker_threads'
import { explainMissingThread, threadFile, threadSettings } from '@queue/loop'
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
  /** The actual port. */
  readonly port: number
  /** Resolves when the thread has ended, with the error that ended it, if there was one. */
  readonly ended: Promise<unknown>
  /** Drains for at most this many milliseconds, and ends. */
  close(graceMs: number): Promise<void>
}

/** A thread that has not ended this long after its grace is terminated. */
const lateMsMax = 1_000

/** Starts the thread. If it cannot listen, throws the error of the socket with Node's code. */
export async function launchOpsThread({ address, patienceMs, endpoints }: LaunchOptions): Promise<OpsThread> {
  const data: OpsThreadData = {
    host: address.host,
    port: address.port,
    patienceMs,
    endpoints: endpoints.served,
  }
  const thread = startThread({
    workerData: data,
    ...threadSettings(file),
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
    cause = explainMissingThread(error, entry)
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

/** What a bundler bundles beside a program. */
const entry = '@queue/service/ops-thread'
const file = threadFile('ops-thread', import.meta.url)

/** webpack finds the file of a thread in an expression of this form, bundles it, and replaces its URL. */
function startThread(options: WorkerOptions): Thread {
  try {
    return file === undefined
      ? new Thread(new URL('./ops-thread.js', import.meta.url), options)
      : new Thread(file, options)
  } catch (error) {
    throw explainMissingThread(error, entry)
  }
}
