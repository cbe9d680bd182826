import { readdir, readFile } from 'node:fs/promises'
import path from 'node:path'
import { expect, test } from '@jest/globals'
import { publishedPackages } from '../packages/published-packages.ts'

const root = path.resolve(import.meta.dirname, '..', '..')
const libraries = (await publishedPackages(root)).filter(({ isLibrary }) => isLibrary)

/** The names that the sources of all libraries export from any file. */
async function exportedNames(): Promise<ReadonlySet<string>> {
  const names = new Set<string>()
  for (const { folder } of libraries) {
    const source = path.join(root, folder, 'src')
    for (const file of await readdir(source, { recursive: true })) {
      if (!file.endsWith('.ts')) continue
      const text = await readFile(path.join(source, file), 'utf8')
      for (const [, name] of text.matchAll(/^export (?:async )?(?:function|const|class) (\w+)/gm))
        names.add(name ?? '')
    }
  }
  return names
}

test('each function that the page of a package names exists', async () => {
  const names = await exportedNames()
  const missing: string[] = []
  for (const { folder } of libraries) {
    const page = await readFile(path.join(root, folder, 'README.md'), 'utf8')
    const named = page.matchAll(/`((?:create|flush|observe|parse|render|serve|start)[A-Z]\w*)\b/g)
    for (const [, name = ''] of named) if (!names.has(name)) missing.push(`${folder}: ${name}`)
  }
  expect(names.size).toBeGreaterThan(500)
  expect(missing).toEqual([])
})
