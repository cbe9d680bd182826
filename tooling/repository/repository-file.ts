import { execFile } from 'node:child_process'
import { readFile, stat } from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'

/** A file of the repository. One that is no text, such as a picture, has none; links may lead to it. */
export interface RepositoryFile {
  /** From the root, with forward slashes. */
  readonly name: string
  readonly text: string
}

/** What is wrong, in words, one entry for each fault. */
export type Faults = readonly string[]

/** Every file that git tracks, or would if it were added. */
export async function readRepository(root: string): Promise<RepositoryFile[]> {
  const listed = ['ls-files', '--cached', '--others', '--exclude-standard', '-z']
  const { stdout } = await promisify(execFile)('git', listed, { cwd: root, maxBuffer: 64 * 1024 * 1024 })
  const names = [...new Set(stdout.split('\0'))].filter((name) => name !== '')
  const files = await Promise.all(names.map((name) => readText(root, name)))
  return files.filter((file) => file !== undefined)
}

async function readText(root: string, name: string): Promise<RepositoryFile | undefined> {
  const file = path.join(root, name)
  // Deleted and not committed yet, or a link to a folder.
  if (!(await stat(file).catch(() => undefined))?.isFile()) return undefined
  const text = await readFile(file, 'utf8')
  return { name, text: text.includes('\0') ? '' : text }
}
