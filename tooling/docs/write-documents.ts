/** `pnpm docs:write`: writes what the documents say of settings and operations, from the code. */
import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import { generatedDocuments } from './generated-documents.ts'

const root = path.resolve(import.meta.dirname, '..', '..')

for (const { name, text } of await generatedDocuments(root)) await writeFile(path.join(root, name), text)
