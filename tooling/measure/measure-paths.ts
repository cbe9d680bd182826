import { spawn } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { freePort, startEmbeddedPostgres } from '@queue/dev-postgres'

/** The source files that run on a path, with their total number of lines. */
export interface MeasuredPath {
  readonly files: readonly string[]
  readonly lines: number
}

export interface MeasuredPaths {
  /** From a request to POST /jobs to its INSERT. */
  readonly postJobs: MeasuredPath
  /** From the claim of a job to the write of its end. */
  readonly claimToEnd: MeasuredPath
}

const root = fileURLToPath(new URL('../..', import.meta.url))
/** The first job also compiles statements, and is not counted. */
const jobCount = 12
const waitMsMax = 60_000

/** Runs the API and a worker from their sources, sends them jobs, and reads which files ran on each path. */
export async function measurePaths(directory: string): Promise<MeasuredPaths> {
  const server = await startEmbeddedPostgres({ directory: path.join(directory, 'postgres') })
  const cleanups: (() => Promise<void>)[] = [() => server.stop()]
  try {
    const api = `127.0.0.1:${await freePort()}`
    const worker = `127.0.0.1:${await freePort()}`
    const env = {
      ...process.env,
      DATABASE_URL: server.url,
      // Without prepared statements, the text of each statement is sent, so that the recorder can recognise it.
      DATABASE_POOLER: 'transaction',
      API_BIND_ADDR: api,
      API_OPS_BIND_ADDR: '127.0.0.1:0',
      WORKER_METRICS_BIND_ADDR: worker,
      LOG_LEVEL: 'warn',
      EXECUTOR: 'simulated',
      // No timer of the worker may fire while a job runs.
      WORKER_SIMULATION_SPEED: '1000',
      WORKER_CONCURRENCY: '1',
      WORKER_PREFETCH: '0',
      WORKER_POLL_INTERVAL_MS: '50',
      WORKER_MAX_POLL_INTERVAL_MS: '50',
    }
    await run('migrate', env).ended
    const record = { 'post-jobs': path.join(directory, 'post-jobs'), claim: path.join(directory, 'claim') }
    for (const [app, pathName] of [
      ['api', 'post-jobs'],
      ['worker', 'claim'],
    ] as const) {
      const child = run(app, { ...env, RECORD_PATH: pathName, RECORD_PATH_FILE: record[pathName] })
      cleanups.push(child.stop)
    }
    await Promise.all([untilReady(`http://${api}/readyz`), untilReady(`http://${worker}/readyz`)])
    for (let number = 0; number < jobCount; number += 1) await runJob(`http://${api}`)
    return {
      postJobs: await readPath(record['post-jobs']),
      claimToEnd: await readPath(record.claim),
    }
  } finally {
    for (const end of cleanups.toReversed()) await end()
  }
}

function run(app: string, env: NodeJS.ProcessEnv) {
  const recorder = env['RECORD_PATH'] === undefined ? [] : ['--import', recorderUrl]
  const main = path.join(root, 'apps', app, 'src', 'main.ts')
  const child = spawn(process.execPath, ['--conditions=@queue/source', ...recorder, main], {
    env,
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  const ended = new Promise<void>((resolve, reject) => {
    child.once('error', reject)
    child.once('close', () => resolve())
  })
  const stop = async (): Promise<void> => {
    child.kill('SIGTERM')
    await ended
  }
  return { ended, stop }
}

const recorderUrl = new URL('record-path.ts', import.meta.url).href

async function untilReady(url: string): Promise<void> {
  await eventually(
    `a response from ${url}`,
    async () => (await fetch(url).catch(() => undefined))?.ok === true,
  )
}

async function runJob(api: string): Promise<void> {
  const body = JSON.stringify({ kind: 'summarize_text', payload: { text: 'One sentence. And a second.' } })
  const headers = { 'content-type': 'application/json' }
  const answer = await fetch(`${api}/jobs`, { method: 'POST', headers, body })
  if (answer.status !== 201) throw new Error(`POST /jobs answered ${answer.status}: ${await answer.text()}`)
  const { id } = (await answer.json()) as { id: string }
  await eventually(`the end of job ${id}`, async () => {
    const job = (await (await fetch(`${api}/jobs/${id}`)).json()) as { status: string }
    return job.status === 'succeeded'
  })
}

async function eventually(description: string, condition: () => Promise<boolean>): Promise<void> {
  const deadline = performance.now() + waitMsMax
  while (!(await condition())) {
    if (performance.now() > deadline)
      throw new Error(`timed out after ${waitMsMax} ms while waiting for ${description}`)
    await sleep(20)
  }
}

async function readPath(file: string): Promise<MeasuredPath> {
  const records = (await readFile(file, 'utf8')).trim().split('\n').slice(1)
  const filesByRun = records.map((line) => JSON.parse(line) as string[])
  const files = [...new Set(filesByRun.flat())].filter((name) => isUsual(name, filesByRun))
  const lines = await Promise.all(files.map((name) => countLines(path.join(root, name))))
  return { files, lines: lines.reduce((sum, count) => sum + count, 0) }
}

/** Whether a file ran for most jobs. Simulated work fails now and then, and a timer may fire during any job. */
function isUsual(file: string, filesByRun: readonly (readonly string[])[]): boolean {
  return filesByRun.filter((runFiles) => runFiles.includes(file)).length > filesByRun.length / 2
}

/** The number of lines of a file, as `wc -l` counts them. */
async function countLines(file: string): Promise<number> {
  return (await readFile(file, 'utf8')).split('\n').length - 1
}
