/** `pnpm sql:write`: writes every statement of core and outbox to its file in the package's folder `sql/`. */
import { mkdir, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { packages, readStatements } from './read-statements.ts'

const root = path.resolve(import.meta.dirname, '..', '..')

for (const folder of packages) {
  const statements = await readStatements(root, folder)
  await rm(path.join(root, folder, 'sql'), { recursive: true, force: true })
  await mkdir(path.join(root, folder, 'sql'))
  for (const [file, text] of statements) await writeFile(path.join(root, file), text)
}
