import { readdir, readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'

/** The scope of the packages in the repository. */
export const ownScope = '@queue'

/**
 * The text with each name of a package, and with the condition `@queue/source`, in another scope. This includes the names in SBOMs,
 * where `@` and `/` can be escaped.
 */
export function renameScope(text: string, scope: string): string {
  return text
    .replaceAll(/@queue(?=[/:"])/g, scope)
    .replaceAll(/%40queue(?=\/|%2F)/gi, `%40${scope.slice('@'.length)}`)
}

/** Renames the scope in every file of an unpacked package. */
export async function renameScopeIn(directory: string, scope: string): Promise<void> {
  if (scope === ownScope) return
  const entries = await readdir(directory, { recursive: true, withFileTypes: true })
  for (const entry of entries.filter((file) => file.isFile())) {
    const file = path.join(entry.parentPath, entry.name)
    const content = await readFile(file)
    // Other files, such as pictures, stay as they are, byte by byte.
    if (content.includes(ownScope)) await writeFile(file, renameScope(content.toString('utf8'), scope))
  }
}
