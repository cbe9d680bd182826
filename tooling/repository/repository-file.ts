import { execFile } from 'node:child_process'
import { readFile, stat } from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'

/** A file of the repository. The text of a binary file, such as a picture, is empty; links may lead to it. */
export interface RepositoryFile {
  /** The path relative to the root, with forward slashes. */
  readonly name: string
  readonly text: string
}

/** Descriptions of problems, one for each. */
export type Faults = readonly string[]

/** Reads every file that git tracks or that could be added to git. */
export async function readRepository(root: string): Promise<RepositoryFile[]> {
  const args = ['ls-files', '--cached', '--others', '--exclude-standard', '-z']
  const { stdout } = await promisify(execFile)('git', args, { cwd: root, maxBuffer: 64 * 1024 * 1024 })
  const names = [...new Set(stdout.split('\0'))].filter((name) => name !== '')
  const files = await Promise.all(names.map((name) => readText(root, name)))
  return files.filter((file) => file !== undefined)
}

async function readText(root: string, name: string): Promise<RepositoryFile | undefined> {
  const file = path.join(root, name)
  // The file was deleted but not committed, or it is a link to a folder.
  if (!(await stat(file).catch(() => undefined))?.isFile()) return undefined
  const text = await readFile(file, 'utf8')
  return { name, text: text.includes('\0') ? '' : text }
}
