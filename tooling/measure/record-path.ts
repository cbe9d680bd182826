/**
 * Loaded before a program (`node --import`): records which of our files run between two moments of the process, and
 * writes them as one JSON line to the file that `RECORD_PATH_FILE` names. `RECORD_PATH` says which moments:
 * `post-jobs`, from a request to its INSERT, or `claim`, from the claim that brings a job to the write of its end.
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

/** Our files of which a function has run since the last call. A session of this thread answers before `post` returns. */
function filesSinceLast(): Files {
  let scripts: Profiler.ScriptCoverage[] = []
  session.post('Profiler.takePreciseCoverage', (error, coverage) => {
    if (error !== null) throw error
    scripts = coverage.result
  })
  const run = scripts.filter(({ functions }) => functions.some(({ ranges }) => (ranges[0]?.count ?? 0) > 0))
  return new Set(run.flatMap(({ url }) => ourFile(url)))
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

/** Calls `onText` with whatever a socket of this process is given to send. */
function watchSockets(onText: (text: string) => void): void {
  const write = Socket.prototype.write as (this: Socket, ...given: unknown[]) => boolean
  Socket.prototype.write = function (this: Socket, ...given: unknown[]): boolean {
    const [chunk] = given
    onText(typeof chunk === 'string' ? chunk : Buffer.from(chunk as Uint8Array).toString('latin1'))
    return write.apply(this, given)
  }
}

function recordPostJobs(): void {
  let underWay = false
  subscribe('http.server.request.start', (message) => {
    const { request } = message as { request: { method: string; url: string } }
    underWay = request.method === 'POST' && request.url === '/jobs'
    if (underWay) filesSinceLast()
  })
  watchSockets((text) => {
    if (!underWay || !/insert into/i.test(text)) return
    underWay = false
    record(filesSinceLast())
  })
}

/** The claim that brings the job is known only by its answer: what ran since the claim before it is kept. */
function recordClaim(): void {
  let beforeClaim: Files = new Set()
  watchSockets((text) => {
    if (/lease_token \+ 1/i.test(text)) beforeClaim = filesSinceLast()
    else if (/insert into "\w+"\."job_executions"/i.test(text)) record(beforeClaim, filesSinceLast())
  })
}

if (process.env['RECORD_PATH'] === 'claim') recordClaim()
else recordPostJobs()
