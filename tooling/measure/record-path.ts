/**
 * Loaded before a program (`node --import`). It records which source files run on a path, and appends them as a JSON line to the
 * file `RECORD_PATH_FILE`. `RECORD_PATH` names the path: `post-jobs` (from a request to its INSERT) or `claim` (from the claim of
 * a job to the write of its end).
 */
import { subscribe } from 'node:diagnostics_channel'
import { appendFileSync } from 'node:fs'
import { type Profiler, Session } from 'node:inspector'
import { Socket } from 'node:net'
import { fileURLToPath } from 'node:url'

type Files = ReadonlySet<string>

const root = fileURLToPath(new URL('../..', import.meta.url))
const session = new Session()
session.connect()
session.post('Profiler.enable')
session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false })

/**
 * The source files with a function that ran since the last call. A session in the same thread calls back before `post` returns.
 */
function filesSinceLast(): Files {
  let scripts: Profiler.ScriptCoverage[] = []
  session.post('Profiler.takePreciseCoverage', (error, coverage) => {
    if (error !== null) throw error
    scripts = coverage.result
  })
  const executed = scripts.filter(({ functions }) =>
    functions.some(({ ranges }) => (ranges[0]?.count ?? 0) > 0),
  )
  return new Set(executed.flatMap(({ url }) => ourFile(url)))
}

function ourFile(url: string): string[] {
  if (!url.startsWith('file:')) return []
  const file = fileURLToPath(url)
  const isOurs = file.startsWith(root) && !file.includes('/node_modules/') && !file.includes('/tooling/')
  return isOurs ? [file.slice(root.length)] : []
}

function record(...parts: readonly Files[]): void {
  const files = [...new Set(parts.flatMap((part) => [...part]))].toSorted()
  appendFileSync(process.env['RECORD_PATH_FILE'] ?? '', `${JSON.stringify(files)}\n`)
}

/** Calls `onText` with all data that sockets of this process send. */
function watchSockets(onText: (text: string) => void): void {
  const write = Socket.prototype.write as (this: Socket, ...args: unknown[]) => boolean
  Socket.prototype.write = function (this: Socket, ...args: unknown[]): boolean {
    const [chunk] = args
    onText(typeof chunk === 'string' ? chunk : Buffer.from(chunk as Uint8Array).toString('latin1'))
    return write.apply(this, args)
  }
}

function recordPostJobs(): void {
  let isRecording = false
  subscribe('http.server.request.start', (message) => {
    const { request } = message as { request: { method: string; url: string } }
    isRecording = request.method === 'POST' && request.url === '/jobs'
    if (isRecording) filesSinceLast()
  })
  watchSockets((text) => {
    if (!isRecording || !/insert into/i.test(text)) return
    isRecording = false
    record(filesSinceLast())
  })
}

/** Whether a claim returned the job is known only afterwards, so the files that ran before each claim are kept. */
function recordClaim(): void {
  let beforeClaim: Files = new Set()
  watchSockets((text) => {
    if (/lease_token \+ 1/i.test(text)) beforeClaim = filesSinceLast()
    else if (/insert into "\w+"\."job_executions"/i.test(text)) record(beforeClaim, filesSinceLast())
  })
}

if (process.env['RECORD_PATH'] === 'claim') recordClaim()
else recordPostJobs()
