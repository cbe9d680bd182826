/** `pnpm sql:write`: writes every statement, table, view and function of core and outbox to its file in the package's folder `sql/`. */
import { mkdir, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { packages, readSql } from './read-statements.ts'

const root = path.resolve(import.meta.dirname, '..', '..')

for (const folder of packages) {
  const texts = await readSql(root, folder)
  await rm(path.join(root, folder, 'sql'), { recursive: true, force: true })
  for (const [file, text] of texts) {
    await mkdir(path.dirname(path.join(root, file)), { recursive: true })
    await writeFile(path.join(root, file), text)
  }
}
