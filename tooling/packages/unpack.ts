import { execFile } from 'node:child_process'
import { mkdir } from 'node:fs/promises'
import { promisify } from 'node:util'

/** Unpacks the tarball of a package as an installer does: the content of its only folder goes into `directory`. */
export async function unpack(tarball: string, directory: string): Promise<void> {
  await mkdir(directory, { recursive: true })
  await promisify(execFile)('tar', ['-xzf', tarball, '-C', directory, '--strip-components=1'])
}
