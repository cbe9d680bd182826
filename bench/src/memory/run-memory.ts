import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { migrateUp } from '@queue/core'
import { createTestDatabases } from '@queue/dev-postgres'

export interface MemoryOptions {
  readonly serverUrl: string
  /** How long the worker has nothing to do before it is weighed. */
  readonly seconds: number
  readonly onStep: (step: string) => void
}

export interface MemoryFigures {
  /** Memory of the worker process that is in RAM, shared pages included, in MB of 1 000 000 bytes. */
  readonly idleWorkerRssMb: number
}

const main = fileURLToPath(import.meta.resolve('@queue/worker-app'))

/** Starts the worker as it is deployed on an empty queue, and weighs it once it has come to rest. */
export async function runMemory({ serverUrl, seconds, onStep }: MemoryOptions): Promise<MemoryFigures> {
  const databases = createTestDatabases({
    serverUrl,
    templateKey: `memory ${process.pid}`,
    prepareTemplate: async (url) => void (await migrateUp({ connectionString: url })),
  })
  try {
    onStep('memory: an idle worker')
    const database = await databases.create()
    return { idleWorkerRssMb: (await idleRssBytes(database.url, seconds)) / 1_000_000 }
  } finally {
    await databases.dropAll()
  }
}

async function idleRssBytes(url: string, seconds: number): Promise<number> {
  const env = {
    DATABASE_URL: url,
    EXECUTOR: 'simulated',
    LOG_FORMAT: 'json',
    WORKER_METRICS_BIND_ADDR: '127.0.0.1:0',
  }
  const worker = spawn(process.execPath, [main], { env, stdio: ['ignore', 'pipe', 'inherit'] })
  try {
    await registered(worker)
    await sleep(seconds * 1_000)
    return await rssBytes(worker.pid)
  } finally {
    worker.kill('SIGKILL')
    await once(worker, 'close')
  }
}

async function registered({ stdout }: ChildProcess): Promise<void> {
  if (stdout === null) throw new Error('the worker has no output')
  const lines = createInterface(stdout)
  for await (const line of lines) if (line.includes('worker registered')) break
  stdout.resume()
}

/** The kernel's own count; elsewhere than on Linux there is none to read. */
async function rssBytes(pid: number | undefined): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '')
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1] ?? Number.NaN) * 1_024
}

/** The figure as a line. */
export function renderMemory({ idleWorkerRssMb }: MemoryFigures): string {
  return `memory\n  idle worker       ${idleWorkerRssMb.toFixed(1)} MB RSS\n`
}
