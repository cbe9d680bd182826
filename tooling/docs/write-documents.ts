/** `pnpm docs:write`: writes the documents and parts of documents that are generated from the code. */
import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import { generatedDocuments } from './generated-documents.ts'

const root = path.resolve(import.meta.dirname, '..', '..')

for (const { name, text } of await generatedDocuments(root)) await writeFile(path.join(root, name), text)
