import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'

/** Whether a process with this id runs, under any account. */
export function processExists(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}

/**
 * Whether process `pid` runs and its command line contains `part`. An id alone proves nothing, because ids are reused. On
 * Windows, which does not show command lines, only the id is checked.
 */
export function processRuns(pid: number, part: string): boolean {
  return process.platform === 'win32' ? processExists(pid) : commandOf(pid).includes(part)
}

/** The command line of a process; empty for one that has ended, and for a zombie. */
function commandOf(pid: number): string {
  try {
    if (process.platform === 'linux')
      return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ')
    return execFileSync('ps', ['-ww', '-o', 'command=', '-p', String(pid)], { encoding: 'utf8' })
  } catch {
    return ''
  }
}
