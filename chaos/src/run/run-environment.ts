import { execFile } from 'node:child_process'
import { cpus, totalmem } from 'node:os'
import { promisify } from 'node:util'

/** Where a scenario ran, for readers of its result. */
export interface RunEnvironment {
  /** The commit of the checkout; empty if there is none. Uncommitted changes are not recorded. */
  readonly commit: string
  readonly machine: string
}

const bytesPerGiB = 2 ** 30

export async function readRunEnvironment(): Promise<RunEnvironment> {
  const memoryGiB = Math.round(totalmem() / bytesPerGiB)
  return {
    commit: await readCommit(),
    machine: `${cpus().length} cores, ${memoryGiB} GiB, Node.js ${process.version}`,
  }
}

async function readCommit(): Promise<string> {
  try {
    const { stdout } = await promisify(execFile)('git', ['rev-parse', '--short', 'HEAD'], {
      cwd: import.meta.dirname,
    })
    return stdout.trim()
  } catch {
    return ''
  }
}
