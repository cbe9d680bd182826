import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

/** A template key from the files in `folder` and its subfolders. It changes when one of them changes. */
export async function contentKey(folder: URL): Promise<string> {
  const root = fileURLToPath(folder)
  const entries = await readdir(root, { recursive: true, withFileTypes: true })
  const files = entries
    .filter((entry) => entry.isFile())
    .map((entry) => path.join(entry.parentPath, entry.name))
    .sort()
  const digest = createHash('sha256')
  for (const file of files) {
    const content = await readFile(file)
    digest.update(`${path.relative(root, file)}\0${content.length}\0`).update(content)
  }
  return digest.digest('hex')
}
