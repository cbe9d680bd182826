import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'

/** Whether a process of this id runs, whoever's it is. */
export function processExists(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}

/**
 * Whether process `pid` runs and is the one meant: an id alone proves nothing, since ids are used again, so
 * its command line has to hold `part`. Where the system does not show command lines the id has to do.
 */
export function processRuns(pid: number, part: string): boolean {
  return process.platform === 'win32' ? processExists(pid) : commandOf(pid).includes(part)
}

/** Empty for a process that is gone, and for one that has ended and is only waiting to be collected. */
function commandOf(pid: number): string {
  try {
    if (process.platform === 'linux')
      return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ')
    return execFileSync('ps', ['-ww', '-o', 'command=', '-p', String(pid)], { encoding: 'utf8' })
  } catch {
    return ''
  }
}
