import { execFile } from 'node:child_process'
import { cpus, totalmem } from 'node:os'
import { promisify } from 'node:util'

/** What a scenario was run on, for whoever reads its result. */
export interface Surroundings {
  /** The commit of the checkout; empty where there is none. Changes that are not committed are not told. */
  readonly commit: string
  readonly machine: string
}

const bytesPerGiB = 2 ** 30

export async function readSurroundings(): Promise<Surroundings> {
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
