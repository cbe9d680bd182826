import { execFile } from 'node:child_process'
import { mkdir } from 'node:fs/promises'
import { promisify } from 'node:util'

/** Unpacks a package's tarball as an installer does: its only folder becomes `directory`. */
export async function unpack(tarball: string, directory: string): Promise<void> {
  await mkdir(directory, { recursive: true })
  await promisify(execFile)('tar', ['-xzf', tarball, '-C', directory, '--strip-components=1'])
}
