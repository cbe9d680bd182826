/** A main thread that runs forever, and a thread that ends the process without a signal. */
import { isMainThread, Worker as Thread } from 'node:worker_threads'
import { exitFromMainThread } from '../../src/lease-thread/end-process.ts'

if (isMainThread) {
  const thread = new Thread(new URL(import.meta.url))
  thread.once('online', () => {
    for (;;) Math.sqrt(2)
  })
} else {
  await exitFromMainThread()
}
