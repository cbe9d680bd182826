import { readdir, readFile } from 'node:fs/promises'
import path from 'node:path'
import { expect, test } from '@jest/globals'

const root = path.join(import.meta.dirname, '..')
const document = await readFile(path.join(root, '..', '..', 'docs', 'recipes.md'), 'utf8')

async function filesIn(folder: string): Promise<string[]> {
  const entries = await readdir(path.join(root, folder), { withFileTypes: true })
  return entries.filter((entry) => entry.isFile()).map(({ name }) => `${folder}/${name}`)
}

test('docs/recipes.md contains every file of the recipes, and no other code', async () => {
  const names = [...(await filesIn('src')), ...(await filesIn('src/sql')), ...(await filesIn('container'))]
  const files = await Promise.all(names.map((name) => readFile(path.join(root, name), 'utf8')))
  const blocks = [...document.matchAll(/^```(?:typescript|sql|dockerfile)\n([\s\S]*?)^```$/gm)].map(
    ([, code]) => code,
  )
  expect(new Set(blocks)).toEqual(new Set(files))
})
