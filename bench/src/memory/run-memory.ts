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
  /** How long the worker is idle before its memory is measured. */
  readonly seconds: number
  readonly onStep: (step: string) => void
}

export interface MemoryFigures {
  /** Resident memory of the worker process, including shared pages, in MB of 1 000 000 bytes. */
  readonly idleWorkerRssMb: number
}

const main = fileURLToPath(import.meta.resolve('@queue/worker-app'))

/** Starts the worker app on an empty queue and measures its memory once it has been idle. */
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
    await untilRegistered(worker)
    await sleep(seconds * 1_000)
    return await rssBytes(worker.pid)
  } finally {
    worker.kill('SIGKILL')
    await once(worker, 'close')
  }
}

async function untilRegistered({ stdout }: ChildProcess): Promise<void> {
  if (stdout === null) throw new Error('the worker has no output')
  const lines = createInterface(stdout)
  for await (const line of lines) if (line.includes('worker registered')) break
  stdout.resume()
}

/** The resident memory of a process in bytes, from /proc; NaN on systems other than Linux. */
async function rssBytes(pid: number | undefined): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '')
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1] ?? Number.NaN) * 1_024
}

/** Renders the figure as text. */
export function renderMemory({ idleWorkerRssMb }: MemoryFigures): string {
  return `memory\n  idle worker       ${idleWorkerRssMb.toFixed(1)} MB RSS\n`
}
